#pragma once

#include "host/ctl/client/ServerAddress.h"
#include "host/ctl/terminal/CommandFailure.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace supplierd::host {

using AnswerJson = nlohmann::ordered_json;

struct ServerRequest {
    std::string method = "GET";
    std::string path; ///< with its query, below /api/v1/platform: "/suppliers?page=2"
    std::string body = {};
    std::string contentType = "application/json";
    std::istream* upload = nullptr; ///< instead of `body`: read to its end
    /// Gets the body of a good answer, piece by piece, instead of ServerAnswer::body.
    std::function<void(std::string_view)> save = {};
    std::string idempotencyKey = {}; ///< empty: none
    /// How long the server may say nothing.
    std::chrono::seconds patience = std::chrono::seconds(120);
};

struct ServerAnswer {
    int status = 0;
    std::string body;
};

/// A connection to the operators' API of a server. Thread: one.
class ServerConnection {
public:
    explicit ServerConnection(ServerAddress address);
    ~ServerConnection();
    ServerConnection(const ServerConnection&) = delete;
    ServerConnection& operator=(const ServerConnection&) = delete;

    const ServerAddress& address() const { return _address; }

    /// Any answer of the server. Throws CommandFailure when there is none: what is wrong, and what to do.
    ServerAnswer send(const ServerRequest& request);
    /// The `data` of a good answer. Throws CommandFailure with what the server says otherwise.
    AnswerJson data(const ServerRequest& request);

    /// What an answer that is no good one says, as the end of a command.
    static CommandFailure failureOf(const ServerAnswer& answer);

private:
    struct Curl;

    const ServerAddress _address;
    std::unique_ptr<Curl> _curl;
};

} // namespace supplierd::host
