#pragma once

#include "host/auth/RateLimiter.h"
#include "host/http/RequestBody.h"
#include "host/http/Router.h"
#include "host/http/pipeline/Exchange.h"
#include "host/http/pipeline/IdempotencyStore.h"
#include "host/http/pipeline/ResponseSample.h"

#include <supplierd/Request.h>
#include <supplierd/RequestHead.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The head of an exchange's request as plugins see it. Lifetime and thread: the exchange's.
class HttpRequestHead final : public RequestHead {
public:
    explicit HttpRequestHead(const Exchange& exchange) : _exchange(exchange) {}

    std::string_view method() const override { return _exchange.request.getMethod(); }
    std::string_view path() const override { return _exchange.target.path; }
    std::string_view rawQuery() const override { return _exchange.target.query; }
    std::string_view requestId() const override { return _exchange.requestId; }
    std::optional<std::string_view> header(std::string_view name) const override;
    std::optional<std::string_view> cookie(std::string_view name) const override;
    std::string_view clientAddress() const override { return _exchange.client; }
    std::string_view scheme() const override { return _exchange.scheme; }

private:
    const Exchange& _exchange;
};

/// A handler's response goes into an envelope, into metrics by status and perhaps into the database for replay: what
/// does not fit is the handler's mistake and must not break the answer. Throws std::logic_error.
void checkResponse(const Response& response, Method method);
/// The same for what a route's error page gives: text without an envelope.
void checkErrorPage(const Response& page);

/// The Request that a handler sees. Lifetime and thread: one call of Pipeline::handle().
class RequestContext final : public Request {
public:
    struct Inputs {
        const RequestHead& head;
        const RouteMatch& match;
        const Principal& principal;
        const RateLimitState& rateLimit;
        QueryParameters query;
        std::optional<JsonDocument> body; ///< as what follows, nothing before the body has come
        const QueryParameters* form;      ///< null but for Body::Form
        RawBody* rawBody;                 ///< null but for Body::Raw
        const std::shared_ptr<void>& admission;
        const std::vector<Detail>& warnings; ///< the host's, sent with whatever the handler returns
        RequestDatabase& database;
        const IdempotencyClaim* claim; ///< null without an Idempotency-Key
        const ResponseSample& sample;
        std::string& buffer; ///< memory of an earlier response
    };

    explicit RequestContext(Inputs inputs) : _inputs(std::move(inputs)) {}

    Method method() const override { return _inputs.match.handler->route.method; }
    const Principal& principal() const override { return _inputs.principal; }
    std::string_view requestId() const override { return _inputs.head.requestId(); }
    std::string_view path() const override { return _inputs.head.path(); }
    const RequestHead& head() const override { return _inputs.head; }
    std::int64_t pathInteger(std::string_view name) const override;
    std::string_view pathText(std::string_view name) const override;
    const QueryParameters& query() const override { return _inputs.query; }
    std::optional<std::string_view> header(std::string_view name) const override { return _inputs.head.header(name); }
    JsonObject body() const override;
    const QueryParameters& form() const override;
    BodyStream& rawBody() override;
    Database& database() override { return _inputs.database; }
    Response transact(const std::function<Response(Transaction&)>& work) override;
    Response reply(int status) override;
    std::string_view rawQuery() const override { return _inputs.head.rawQuery(); }
    Response transactTogether(const std::function<Response(Transaction&)>& work) override;
    const std::shared_ptr<void>& admission() const override { return _inputs.admission; }

    /// As this request left it; of a public route nothing that means anything.
    const RateLimitState& rateLimit() const { return _inputs.rateLimit; }
    /// The result is in the database already.
    bool recorded() const { return _recorded; }

private:
    enum class Company { Alone, Together };

    Response transact(const std::function<Response(Transaction&)>& work, Company company);
    [[noreturn]] void refuseBody(const char* kind) const;
    const PathParameter& parameter(std::string_view name) const;

    Inputs _inputs;
    bool _transacted = false;
    bool _recorded = false;
};

} // namespace supplierd::host
