#pragma once

#include "host/ctl/client/ServerConnection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

class ControlContext;

/// What a supplier's webhooks bring, on the machine of whoever writes the receiver: a webhook without an address is
/// made, its deliveries are read and posted on, signed as the server signs, and it is deleted at the end. Thread: one.
class WebhookListener {
public:
    struct Options {
        std::string forward; ///< where deliveries are posted on to; empty: they are printed alone
        std::vector<std::string> events;
        bool isFull = false;
        /// Of an operator, who has no key of the supplier's: one is made, and revoked at the end. 0: the key is his.
        std::int64_t supplierId = 0;
    };

    /// Throws CommandFailure (Usage) when no other server and key are named.
    WebhookListener(ControlContext& context, Options options);
    ~WebhookListener();
    WebhookListener(const WebhookListener&) = delete;
    WebhookListener& operator=(const WebhookListener&) = delete;

    /// Until SIGINT or SIGTERM. Throws CommandFailure.
    void listen();
    /// Posts a delivery of any webhook on once more. Throws CommandFailure: there is none, or nobody took it.
    void replay(std::int64_t deliveryId);

private:
    void makeKey();
    ServerConnection& connection() { return _withThatKey ? *_withThatKey : _context.connection(); }
    ResponseJson call(const std::string& method, const std::string& path, const ResponseJson& body = nullptr);
    void deleteLeftOvers();
    std::optional<ResponseJson> dataUnlessBusy(const ServerRequest& request);
    std::vector<ResponseJson> newDeliveries(std::int64_t webhookId, std::int64_t after);
    bool passOn(const ResponseJson& delivery, const std::string& secret);
    void print(const ResponseJson& delivery, const ServerResponse& answer);

    ControlContext& _context;
    const Options _options;
    const std::string _description;
    bool _isBusy = false;    ///< the server was, when it was asked last
    std::int64_t _keyId = 0; ///< that was made
    std::optional<ServerConnection> _withThatKey;
};

} // namespace supplierd::host
