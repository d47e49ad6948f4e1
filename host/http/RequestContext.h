#pragma once

#include "host/auth/RateLimiter.h"
#include "host/http/IdempotencyStore.h"
#include "host/http/RawBody.h"
#include "host/http/Router.h"

#include <supplierd/Request.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// A handler's response goes into an envelope, into metrics by status and perhaps into the database for replay: what
/// does not fit is the handler's mistake and must not break the answer. Throws std::logic_error.
void checkResponse(const Response& response, Method method);
/// The same for what a route's error page gives: text without an envelope.
void checkErrorPage(const Response& page);

/// The Request that a handler sees. Lifetime and thread: one call of Pipeline::handle().
class RequestContext final : public Request {
public:
    struct Parts {
        const RequestHead& head;
        const RouteMatch& match;
        const Principal& principal;
        const RateLimitState& rateLimit;
        QueryParameters query;
        std::optional<JsonDocument> body;
        const QueryParameters* form;         ///< null but for Body::Form
        RawBody* rawBody;                    ///< null but for Body::Raw
        const std::vector<Detail>& warnings; ///< the host's, sent with whatever the handler returns
        PooledDatabase& database;
        const IdempotencyClaim* claim; ///< null without an Idempotency-Key
        std::string& buffer;           ///< memory of an earlier response
    };

    explicit RequestContext(Parts parts) : _parts(std::move(parts)) {}

    Method method() const override { return _parts.match.handler->route.method; }
    const Principal& principal() const override { return _parts.principal; }
    std::string_view requestId() const override { return _parts.head.requestId(); }
    std::string_view path() const override { return _parts.head.path(); }
    const RequestHead& head() const override { return _parts.head; }
    std::int64_t pathInteger(std::string_view name) const override;
    std::string_view pathText(std::string_view name) const override;
    const QueryParameters& query() const override { return _parts.query; }
    std::optional<std::string_view> header(std::string_view name) const override { return _parts.head.header(name); }
    JsonObject body() const override;
    const QueryParameters& form() const override;
    BodyStream& rawBody() override;
    Database& database() override { return _parts.database; }
    Response transact(const std::function<Response(Transaction&)>& work) override;
    Response reply(int status) override;
    std::string_view rawQuery() const override { return _parts.head.rawQuery(); }

    /// As this request left it; of a public route nothing that means anything.
    const RateLimitState& rateLimit() const { return _parts.rateLimit; }
    /// The outcome is in the database already.
    bool recorded() const { return _recorded; }

private:
    [[noreturn]] void refuseBody(const char* kind) const;
    const PathParameter& parameter(std::string_view name) const;

    Parts _parts;
    bool _transacted = false;
    bool _recorded = false;
};

} // namespace supplierd::host
