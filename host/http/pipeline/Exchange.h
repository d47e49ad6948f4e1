#pragma once

#include "host/auth/Authenticator.h"
#include "host/auth/RateLimiter.h"
#include "host/db/RequestDatabase.h"
#include "host/gate/WorkerSocket.h"
#include "host/http/RequestParsing.h"
#include "host/http/Router.h"
#include "host/http/pipeline/IdempotencyStore.h"
#include "host/http/response/ContentChoice.h"

#include <supplierd/RequestObserver.h>
#include <supplierd/Response.h>

#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

/// What is sent instead of an envelope.
struct ChosenContent {
    std::shared_ptr<const Content> bytes;  ///< or:
    std::shared_ptr<ContentStream> stream; ///< from which `begun` was read
    std::string begun;
    bool isAllBegun = false; ///< nothing follows `begun`
    std::string type;
    std::uint64_t size = 0;
    ContentChoice choice;
};

/// What observers asked to be told of a request: ObserverOptions.
struct ObservedParts {
    std::string query;
    std::uint64_t requestBodySize = 0;
    std::string requestBody;
    std::string errorBody;
    std::vector<std::pair<std::string, std::string>> headers;
};

/// What is found of a request from its head alone. It is kept while the body is awaited: views are of the head, which
/// stays where it is, or live as long as the server.
struct RequestFacts {
    std::chrono::steady_clock::time_point startedAt = std::chrono::steady_clock::now();
    std::string requestId;
    std::string client;               ///< its address
    std::string_view scheme = "http"; ///< by which it came to the outermost trusted proxy
    std::string_view hsts;            ///< the field's value, for what came by https
    RequestTarget target;
    Audience audience = Audience::Public;
    /// Who is calling; null on public routes that nobody has signed in on, and before authentication.
    std::shared_ptr<const KeyRecord> key;
    bool isSignedIn = false; ///< by a plugin's RequestAuthenticator, not by the key itself
    bool isLocal = false;    ///< over the control socket, where the kernel says who it is
    std::optional<RateLimitState> rateLimit;
    RouteMatch match;
    std::uint64_t bodyLimit = 0;
    std::shared_ptr<void> admission;           ///< what the route's admit() returned
    const ObserverOptions* observed = nullptr; ///< null: nobody wants more than the facts
};

/// A request whose body is awaited.
struct SuspendedFacts final : SuspendedRequest {
    explicit SuspendedFacts(RequestFacts facts_) : facts(std::move(facts_)) {}
    RequestFacts facts;
};

/// Everything that is known of one request while it is worked on. Thread: the worker's.
struct Exchange : RequestFacts {
    Exchange(Poco::Net::HTTPServerRequest& request_, Poco::Net::HTTPServerResponse& response_,
             PooledDatabase& database_)
        : request(request_),
          response(response_),
          channel(RequestChannel::of(request_)),
          database(database_, channel.queuedAt()) {}

    Poco::Net::HTTPServerRequest& request;
    Poco::Net::HTTPServerResponse& response;
    RequestChannel& channel;
    RequestDatabase database;

    std::string_view corsFields; ///< whole lines of the response's head
    bool compresses = false;     ///< as configured
    bool isSuspended = false;    ///< until its body has come; then the request begins again
    /// The declared body was read to its end; until then an answer closes the connection, so that what is left of the
    /// body never becomes a request.
    bool bodyConsumed = false;
    std::string body;
    ObservedParts observedParts;

    HandlerResult result;
    std::optional<ChosenContent> content; ///< instead of the result's payload
    bool replayed = false;
    std::string_view errorCode; ///< of an error that was thrown; lives in the error table
};

/// What is left of an exchange once its response was made: what is noted when the response has ended.
struct RequestOutcome {
    std::chrono::steady_clock::time_point startedAt;
    std::string requestId;
    std::string client;
    std::string method;
    std::string path; ///< only for observers, as what follows
    ObservedParts observed;
    std::shared_ptr<const KeyRecord> key;
    const RoutedHandler* handler = nullptr;
    int status = 0;
    std::string_view errorCode;
    bool isContent = false;
    std::size_t headSize = 0;
    std::shared_ptr<const std::uint64_t> streamed; ///< of a stream: bytes that it gave
};

} // namespace supplierd::host
