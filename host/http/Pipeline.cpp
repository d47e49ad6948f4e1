#include "host/http/Pipeline.h"

#include "host/db/ErrorClass.h"
#include "host/http/BodyReader.h"
#include "host/http/ClientAddress.h"
#include "host/http/RequestContext.h"
#include "host/http/RequestId.h"
#include "host/http/response/AnswerHead.h"
#include "host/http/response/ContentSender.h"
#include "host/http/response/ErrorTable.h"
#include "host/http/response/Sender.h"

#include <supplierd/JsonBody.h>

#include <Poco/Exception.h>

#include <algorithm>
#include <typeinfo>

namespace supplierd::host {

namespace {

constexpr std::string_view UNMATCHED = "(none)";
constexpr int FIRST_SERVER_ERROR = 500;
constexpr int LARGE_READS = 4;
constexpr int UNAVAILABLE_RETRY_SECONDS = 1;

/// Memory of earlier answers, so that a page of a list costs no allocation. Kept small: a worker that once sent a large
/// answer gives that memory back.
std::string& spareBuffer() {
    thread_local std::string buffer;
    return buffer;
}

StoredOutcome errorOutcome(const ApiError& error) {
    StoredOutcome outcome;
    outcome.status = errorRow(error.kind()).status;
    outcome.payload = errorFragment(error);
    if (error.kind() == ErrorKind::Unauthorized)
        outcome.headers.emplace_back("WWW-Authenticate", "Bearer");
    const int leastRetry = error.kind() == ErrorKind::Unavailable ? UNAVAILABLE_RETRY_SECONDS : 0;
    if (const int seconds = std::max(error.retryAfter(), leastRetry); seconds > 0)
        outcome.headers.emplace_back("Retry-After", std::to_string(seconds));
    return outcome;
}

/// One more request in progress, for as long as it lives.
class Running {
public:
    explicit Running(std::atomic<int>& count) : _count(count) { _count.fetch_add(1, std::memory_order_relaxed); }
    ~Running() { _count.fetch_sub(1, std::memory_order_relaxed); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    std::atomic<int>& _count;
};

ApiError limitExceeded(std::int64_t limit, std::int64_t secondsLeft) {
    return ApiError(ErrorKind::RateLimited, "Rate limit exceeded: " + std::to_string(limit) + " requests per hour")
        .withRetryAfter(static_cast<int>(secondsLeft));
}

} // namespace

Pipeline::Pipeline(Parts parts)
    : _parts(parts), _unmatched(parts.metrics.route("any", UNMATCHED)), _largeReads(LARGE_READS, LARGE_READS) {}

void Pipeline::handle(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) {
    const Running running(_running);
    Exchange exchange(request, response);
    produce(exchange);
    try {
        send(exchange);
    } catch (const std::exception& failure) { // a client that went away is none
        response.setKeepAlive(false);
        _parts.log.error("an answer was not sent whole: " + std::string(failure.what()),
                         {{"request_id", exchange.requestId}});
    }
    account(exchange);
    _parts.heap.note(static_cast<std::size_t>(exchange.framing.length));
    if (!exchange.bodyConsumed)
        lingerBeforeClose(exchange.request);
}

void Pipeline::produce(Exchange& exchange) {
    const auto given = exchange.request.get("X-Request-Id", "");
    exchange.requestId = isValidRequestId(given) ? given : newRequestId();
    try {
        process(exchange);
        return;
    } catch (const std::exception& failure) {
        exchange.outcome = outcomeOf(exchange, failure);
    } catch (...) { // a plugin may throw anything; this is the edge
        exchange.outcome = outcomeOf(exchange, std::runtime_error("an exception that is no std::exception"));
    }
    exchange.content.reset();
}

void Pipeline::process(Exchange& exchange) {
    exchange.client =
        clientAddress(exchange.request.clientAddress().host(), exchange.request, _parts.settings.server.trustedProxies);
    exchange.framing = judgeFraming(exchange.request);
    exchange.bodyConsumed = exchange.framing.length == 0;
    exchange.target = RequestTarget::parse(exchange.request.getURI());
    exchange.audience = audienceOf(exchange.target.segments);
    if (exchange.audience != Audience::Public) {
        authenticate(exchange);
        limitRate(exchange);
    }
    route(exchange);
    exchange.body = readBody(exchange.request, exchange.framing, exchange.match.handler->route.body,
                             _parts.settings.server.bodyLimit);
    exchange.bodyConsumed = true;
    runHandler(exchange);
    if (exchange.content)
        chooseBytes(exchange);
}

void Pipeline::authenticate(Exchange& exchange) {
    try {
        _parts.authenticator.authenticate(exchange.request.get("Authorization", ""), exchange.audience, exchange.client,
                                          &exchange.key);
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::Unauthorized)
            _parts.metrics.authFailures("unauthorized").Increment();
        else if (error.kind() == ErrorKind::Forbidden)
            _parts.metrics.authFailures(error.details().front().code).Increment();
        else if (error.kind() == ErrorKind::RateLimited)
            _parts.metrics.authFailures("address_limited").Increment();
        throw;
    }
}

void Pipeline::limitRate(Exchange& exchange) {
    const auto& key = *exchange.key;
    const auto limit = key.hourlyLimit > 0 ? key.hourlyLimit : _parts.settings.rateLimit.requestsPerHour;
    exchange.rateLimit = _parts.rateLimiter.count(key.principal.keyId, limit);
    if (exchange.rateLimit->allowed)
        return;
    _parts.metrics.rateLimited().Increment();
    throw limitExceeded(limit, exchange.rateLimit->secondsLeft);
}

void Pipeline::route(Exchange& exchange) {
    exchange.match = _parts.router.find(exchange.request.getMethod(), exchange.target.segments);
    if (!exchange.match.handler) {
        if (exchange.match.allow.empty())
            throw ApiError::notFound("There is nothing at this path");
        throw ApiError(ErrorKind::MethodNotAllowed, "This path allows " + exchange.match.allow);
    }
    const auto& scope = exchange.match.handler->route.scope;
    if (exchange.key && !exchange.key->hasScope(scope)) {
        const std::string message = "This API key lacks the scope '" + scope + "'";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "scope", message}});
    }
}

void Pipeline::runHandler(Exchange& exchange) {
    const bool isWrite = exchange.match.handler->route.method != Method::Get;
    if (isWrite && exchange.key && exchange.request.has("Idempotency-Key")) {
        runIdempotently(exchange, exchange.request.get("Idempotency-Key"));
        return;
    }
    bool recorded = false;
    exchange.outcome = callHandler(exchange, nullptr, recorded);
}

void Pipeline::runIdempotently(Exchange& exchange, std::string_view key) {
    auto claimed = _parts.idempotency.claim(exchange.key->principal, exchange.request.getMethod(), exchange.target.path,
                                            key, exchange.body);
    if (auto* stored = std::get_if<StoredOutcome>(&claimed)) {
        exchange.outcome = std::move(*stored);
        exchange.replayed = true;
        return;
    }
    const auto& claim = std::get<IdempotencyClaim>(claimed);
    const IdempotencyStore::Running running(_parts.idempotency, claim);
    bool recorded = false;
    try {
        exchange.outcome = callHandler(exchange, &claim, recorded);
    } catch (const std::exception& failure) {
        exchange.outcome = outcomeOf(exchange, failure);
    } catch (...) {
        _parts.idempotency.release(claim);
        throw;
    }
    if (recorded)
        return;
    if (exchange.outcome.status >= FIRST_SERVER_ERROR)
        _parts.idempotency.release(claim);
    else
        _parts.idempotency.finish(claim, exchange.outcome);
}

StoredOutcome Pipeline::callHandler(Exchange& exchange, const IdempotencyClaim* claim, bool& recorded) {
    static const Principal NOBODY;
    static const RateLimitState UNLIMITED;
    const auto& route = exchange.match.handler->route;
    Details problems;
    auto query = parseQuery(exchange.target.query, problems);
    std::optional<JsonDocument> body;
    if (route.body == Body::Json) {
        problems.throwIfAny();
        body = readJson(std::move(exchange.body));
    }
    problems.throwIfAny();
    const auto& schema = exchange.match.handler->schema;
    const auto warnings = schema ? schema->unknown(query, body ? body->object() : JsonObject()) : std::vector<Detail>();
    RequestContext context({exchange.request, exchange.match, exchange.key ? exchange.key->principal : NOBODY,
                            exchange.rateLimit ? *exchange.rateLimit : UNLIMITED, exchange.requestId,
                            exchange.target.path, exchange.target.query, std::move(query), body, warnings,
                            _parts.database, claim, spareBuffer()});
    auto response = route.handler(context);
    checkResponse(response, route.method);
    recorded = context.recorded();
    if (response.content)
        exchange.content = ChosenContent{std::move(response.content), std::move(response.contentType), 0, {}, true};
    return {response.status, std::move(response.headers),
            successPayload(std::move(response.data), response.warnings, warnings), response.secret};
}

/// Reading takes memory beside the body and what is made of it. So large ones are read a few at a time, which on as
/// many processors takes no longer.
JsonDocument Pipeline::readJson(std::string body) {
    constexpr std::size_t LARGE = std::size_t{64} << 10;
    if (body.size() < LARGE)
        return parseJsonObject(std::move(body));
    struct Turn {
        explicit Turn(Poco::Semaphore& semaphore_) : semaphore(semaphore_) { semaphore.wait(); }
        ~Turn() { semaphore.set(); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        Poco::Semaphore& semaphore;
    } const turn(_largeReads);
    return parseJsonObject(std::move(body));
}

void Pipeline::chooseBytes(Exchange& exchange) {
    auto& content = *exchange.content;
    const auto* etag = findHeader(exchange.outcome.headers, "ETag");
    content.size = content.bytes->size();
    content.choice = chooseContent(exchange.request, content.size, etag ? std::string_view(*etag) : std::string_view());
    switch (content.choice.status) {
    case Poco::Net::HTTPResponse::HTTP_PRECONDITION_FAILED:
        throw ApiError::preconditionFailed("This is no longer what If-Match names");
    case Poco::Net::HTTPResponse::HTTP_REQUESTED_RANGE_NOT_SATISFIABLE:
        throw ApiError(ErrorKind::RangeNotSatisfiable,
                       "There are " + std::to_string(content.size) + " bytes, and none in this range");
    case Poco::Net::HTTPResponse::HTTP_NOT_MODIFIED:
        exchange.outcome.status = content.choice.status;
        exchange.content.reset();
        return;
    default:
        exchange.outcome.status = content.choice.status;
    }
}

StoredOutcome Pipeline::outcomeOf(const Exchange& exchange, const std::exception& failure) {
    if (const auto* known = dynamic_cast<const ApiError*>(&failure)) {
        if (known->kind() == ErrorKind::Unavailable || known->kind() == ErrorKind::Internal)
            _parts.log.warning(known->message(), {{"request_id", exchange.requestId}});
        if (known->kind() == ErrorKind::Internal)
            _parts.metrics.internalErrors().Increment();
        auto outcome = errorOutcome(*known);
        if (known->kind() == ErrorKind::MethodNotAllowed)
            outcome.headers.emplace_back("Allow", exchange.match.allow);
        if (known->kind() == ErrorKind::RangeNotSatisfiable && exchange.content)
            outcome.headers.emplace_back("Content-Range", "bytes */" + std::to_string(exchange.content->size));
        return outcome;
    }
    const auto* database = dynamic_cast<const DatabaseError*>(&failure);
    const auto* poco = dynamic_cast<const Poco::Exception*>(&failure);
    const std::string reason = poco ? poco->displayText() : std::string(failure.what());
    _parts.log.error("request failed: " + reason,
                     {{"request_id", exchange.requestId},
                      {"route", exchange.match.handler ? exchange.match.handler->pattern : std::string(UNMATCHED)},
                      {"exception", std::string(typeid(failure).name())}});
    if (database && database->isConnectionLost())
        return errorOutcome(databaseAway());
    if (database && database->isRetryable()) // locked, or deadlocked, time and again
        return errorOutcome(databaseBusy());
    _parts.metrics.internalErrors().Increment();
    return errorOutcome(ApiError(ErrorKind::Internal, reason));
}

void Pipeline::send(Exchange& exchange) {
    const bool closes = !exchange.bodyConsumed || _draining.load(std::memory_order_relaxed);
    if (exchange.content)
        sendBytes(exchange, closes);
    else
        exchange.bytesSent = sendAnswer(exchange, closes);
    constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;
    if (exchange.outcome.payload.capacity() <= KEEP_AT_MOST)
        spareBuffer().swap(exchange.outcome.payload);
}

/// The head promised a length: when the bytes do not come, only a closed connection tells the client.
void Pipeline::sendBytes(Exchange& exchange, bool closes) {
    std::string reason;
    try {
        sendContent(exchange, closes, {_parts.settings.server.requestTimeout});
    } catch (const Poco::Exception& failure) {
        reason = failure.displayText();
    } catch (const std::exception& failure) {
        reason = failure.what();
    } catch (...) { // the content is a plugin's, and may throw anything
        reason = "an exception that is no std::exception";
    }
    _parts.metrics.contentBytes().Increment(static_cast<double>(exchange.bytesSent));
    if (exchange.content->isWhole)
        return;
    exchange.response.setKeepAlive(false);
    _parts.metrics.contentCutOff(reason.empty() ? "client" : "content").Increment();
    if (!reason.empty())
        _parts.log.error("content was cut off: " + reason,
                         {{"request_id", exchange.requestId}, {"route", exchange.match.handler->pattern}});
}

void Pipeline::account(const Exchange& exchange) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - exchange.startedAt;
    auto& metrics = exchange.match.handler ? *exchange.match.handler->metrics : _unmatched;
    metrics.count(exchange.outcome.status, took.count());
    if (!_parts.accessLog)
        return;
    AccessRecord record;
    record.requestId = exchange.requestId;
    if (exchange.key) {
        record.keyPrefix = exchange.key->principal.keyPrefix;
        record.supplierId = exchange.key->principal.supplierId;
    }
    record.client = exchange.client;
    record.method = exchange.request.getMethod();
    record.route = exchange.match.handler ? std::string_view(exchange.match.handler->pattern) : UNMATCHED;
    record.status = exchange.outcome.status;
    record.bytes = exchange.bytesSent;
    record.cutOff = exchange.content && !exchange.content->isWhole;
    record.milliseconds = took.count() * 1000;
    _parts.accessLog->write(record);
}

} // namespace supplierd::host
