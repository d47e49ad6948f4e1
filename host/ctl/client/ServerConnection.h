#pragma once

#include "host/config/Settings.h"
#include "host/ctl/client/ServerAddress.h"
#include "host/ctl/terminal/Commands.h"
#include "host/gate/tls/TlsCertificate.h"

#include <Poco/Net/SocketAddress.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

using ResponseJson = nlohmann::ordered_json;

struct ServerRequest {
    std::string method = "GET";
    std::string path; ///< with its query, below `base`: "/suppliers?page=2"
    std::string body = {};
    std::string contentType = "application/json";
    std::istream* upload = nullptr; ///< instead of `body`: read to its end
    /// Gets the body of a good answer, piece by piece, instead of ServerResponse::body.
    std::function<void(std::string_view)> save = {};
    std::string idempotencyKey = {}; ///< empty: none
    /// What a person calls its fields and parameters, for what the server says of them.
    std::map<std::string, std::string> names = {};
    /// How long the server may say nothing.
    std::chrono::seconds patience = std::chrono::seconds(120);
    const char* base = "/api/v1/platform";
};

struct ServerResponse {
    int status = 0; ///< 0: there was none, and `body` says why
    std::string body;
    std::optional<TlsCertificate> certificate; ///< that was shown; who vouches for it was not asked
};

/// How a listener wants to be spoken to.
struct ListenerProtocol {
    bool isTls = false;
    bool hasProxyHeader = false; ///< this machine is one of server.trusted_proxies
};

/// GET, waiting 5 s at most for each part. A listener on every address is asked on the loopback. Nothing when nobody
/// listens there. Thread: any.
std::optional<ServerResponse> askHttp(const Poco::Net::SocketAddress& address, const std::string& path,
                                      const ListenerProtocol& protocol = {});

/// POST to a program of the caller's own, waiting 5 s at most to be let in and 30 s for its answer. Status 0 when there
/// is none. `fields`: "Content-Type: application/json". Thread: any.
ServerResponse postTo(const std::string& url, const std::vector<std::string>& fields, const std::string& body);

/// How the API's listener of this configuration wants to be spoken to from here.
ListenerProtocol protocolOf(const ServerSettings& settings);

/// A connection to the API of a server. Thread: one.
class ServerConnection {
public:
    explicit ServerConnection(ServerAddress address);
    ~ServerConnection();
    ServerConnection(const ServerConnection&) = delete;
    ServerConnection& operator=(const ServerConnection&) = delete;

    const ServerAddress& address() const { return _address; }

    /// Any answer of the server. Throws CommandFailure when there is none: what is wrong, and what to do.
    ServerResponse send(const ServerRequest& request);
    /// The `data` of a good answer. Throws CommandFailure with what the server says otherwise.
    ResponseJson data(const ServerRequest& request);

    /// The `data` of a good answer that send() gave. Throws CommandFailure when it is none of the API.
    static ResponseJson dataOf(const ServerResponse& answer);
    /// What an answer that is no good one says, as the end of a command; `names`: ServerRequest::names.
    static CommandFailure failureOf(const ServerResponse& answer, const std::map<std::string, std::string>& names = {});

private:
    const ServerAddress _address;
    void* _curl; ///< libcurl's handle, which keeps its connection
};

} // namespace supplierd::host
