#include "host/http/Pipeline.h"

#include "host/db/ErrorClass.h"
#include "host/db/changes/RequestArrival.h"
#include "host/gate/ForwardedClient.h"
#include "host/http/ControlListener.h"
#include "host/http/RequestBody.h"
#include "host/http/RequestContext.h"
#include "host/http/RequestParsing.h"
#include "host/http/response/ErrorTable.h"
#include "host/http/response/ResponseWriter.h"
#include "host/observe/CurrentWork.h"
#include "host/plugins/PluginNoteReader.h"

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

HandlerResult errorResult(const ApiError& error) {
    HandlerResult result;
    result.status = errorRow(error.kind()).status;
    result.payload = errorFragment(error);
    if (error.kind() == ErrorKind::Unauthorized)
        result.headers.emplace_back("WWW-Authenticate", "Bearer");
    const int leastRetry = error.kind() == ErrorKind::Unavailable ? UNAVAILABLE_RETRY_SECONDS : 0;
    if (const int seconds = std::max(error.retryAfter(), leastRetry); seconds > 0)
        result.headers.emplace_back("Retry-After", std::to_string(seconds));
    return result;
}

void findClient(Exchange& exchange, const ServerSettings& settings) {
    if (exchange.channel.localUser()) {
        exchange.client = "local";
        return;
    }
    ForwardedFields fields(settings.forwardedHeader);
    if (!settings.trustedProxies.empty())
        for (const auto& field : exchange.channel.head().fields)
            fields.add(field.name, field.value);
    if (exchange.channel.isSecure())
        exchange.scheme = "https";
    const auto client = ForwardedClient::find(exchange.request.clientAddress().host(), exchange.scheme, fields,
                                              settings.trustedProxies);
    exchange.client = client.address.toString();
    exchange.scheme = client.scheme;
}

std::int64_t supplierOf(const Exchange& exchange) {
    return exchange.key ? exchange.key->principal.supplierId : 0;
}

/// Tells browsers never to come by plain HTTP; empty: tells them nothing.
std::string hstsOf(const ServerSettings& settings) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(settings.hsts).count();
    return age == 0 ? std::string() : "max-age=" + std::to_string(age);
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

/// Where a request failed, for the log.
std::vector<LogField> whereOf(const Exchange& exchange) {
    std::vector<LogField> fields{{"request_id", exchange.requestId}};
    const auto* handler = exchange.match.handler;
    if (handler && !handler->plugin.empty())
        fields.emplace_back("plugin", handler->plugin);
    fields.emplace_back("route", handler ? handler->work : std::string(UNMATCHED));
    return fields;
}

ApiError limitExceeded(std::int64_t limit, std::int64_t secondsLeft) {
    return ApiError(ErrorKind::RateLimited, "Rate limit exceeded: " + std::to_string(limit) + " requests per hour")
        .withRetryAfter(static_cast<int>(secondsLeft));
}

} // namespace

Pipeline::Pipeline(Dependencies dependencies)
    : _deps(dependencies),
      _hsts(hstsOf(dependencies.settings.server)),
      _cors(dependencies.settings.server.corsOrigins),
      _unmatched(dependencies.metrics.route("any", UNMATCHED)),
      _publicLimiter(dependencies.settings.rateLimit.publicPerMinute),
      _unavailable(dependencies.log),
      _sample(dependencies.settings.server.checkResponses),
      _largeReads(LARGE_READS, LARGE_READS) {
    _publicLimiter.share(dependencies.counts, "public");
}

void Pipeline::handle(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) {
    const Running running(_running);
    Exchange exchange(request, response);
    const RequestArrival arrival(exchange.channel.queuedAt());
    const std::chrono::duration<double> queued = exchange.startedAt - exchange.channel.queuedAt();
    _deps.metrics.queueSeconds().Observe(std::max(queued.count(), 0.0));
    response.setKeepAlive(exchange.channel.head().keepsAlive);
    exchange.corsFields = _cors.fields(exchange.channel.head());
    exchange.compresses = _deps.settings.server.compression;
    produce(exchange);
    if (!exchange.isSuspended)
        send(exchange);
    response.setKeepAlive(true); // what Poco takes for the connection is the worker's
}

void Pipeline::produce(Exchange& exchange) {
    const auto suspended = exchange.channel.takeSuspended();
    if (suspended) {
        static_cast<RequestFacts&>(exchange) = std::move(dynamic_cast<SuspendedExchange&>(*suspended).facts);
    } else {
        const auto given = exchange.request.get("X-Request-Id", "");
        exchange.requestId = isValidRequestId(given) ? given : newRequestId();
    }
    const auto& head = exchange.channel.head();
    exchange.bodyConsumed =
        head.framing == BodyFraming::None || (head.framing == BodyFraming::Length && head.contentLength == 0);
    try {
        if (!suspended)
            admit(exchange);
        if (suspended || !awaitsBody(exchange))
            process(exchange);
        return;
    } catch (const std::exception& failure) {
        fail(exchange, failure);
    } catch (...) { // a plugin may throw anything; this is the edge
        fail(exchange, std::runtime_error("an exception that is no std::exception"));
    }
    exchange.content.reset();
}

/// By its head alone; once.
void Pipeline::admit(Exchange& exchange) {
    findClient(exchange, _deps.settings.server);
    if (exchange.scheme == "https")
        exchange.hsts = _hsts;
    exchange.target = RequestTarget::parse(exchange.channel.head().target);
    exchange.audience = audienceOf(exchange.target.segments);
    if (const auto user = exchange.channel.localUser())
        admitLocalUser(exchange, *user);
    else
        authenticate(exchange);
    if (exchange.key && !exchange.isSignedIn && !exchange.isLocal)
        limitRate(exchange);
    if (exchange.key && _deps.observers.any())
        exchange.observed = &_deps.observers.wanted();
    exchange.match = _deps.router.find(exchange.request.getMethod(), exchange.target.segments);
    if (!exchange.isLocal && (!exchange.key || exchange.isSignedIn))
        limitAddress(exchange);
    checkRoute(exchange);
    exchange.bodyLimit = bodyLimit(exchange);
    checkBody(exchange.request, exchange.channel, exchange.match.handler->route, exchange.bodyLimit);
    if (exchange.match.handler->route.admit)
        askRoute(exchange);
}

std::uint64_t Pipeline::bodyLimit(const Exchange& exchange) const {
    /// Of those who have not shown who they are, unless the route says otherwise.
    constexpr std::int64_t OF_STRANGERS = 16'384;
    const auto ofRoute = exchange.match.handler->route.maxBody;
    const auto ofServer = _deps.settings.server.bodyLimit;
    if (ofRoute > 0)
        return static_cast<std::uint64_t>(ofRoute);
    return static_cast<std::uint64_t>(exchange.key ? ofServer : std::min(ofServer, OF_STRANGERS));
}

/// The rest of the body is still to come: then the request comes again, and is resumed.
bool Pipeline::awaitsBody(Exchange& exchange) {
    if (exchange.channel.bodyState() != Connection::BodyState::Pending)
        return false;
    const auto limit = exchange.bodyLimit;
    const bool isStreamed = exchange.match.handler->route.body == Body::Raw;
    if (!exchange.channel.makeRoomForBody(limit, isStreamed, supplierOf(exchange), exchange.key != nullptr))
        throw ApiError::unavailable("Too much is being received from you, or by this server; try again");
    exchange.channel.collectBody(limit,
                                 std::make_unique<SuspendedExchange>(std::move(static_cast<RequestFacts&>(exchange))));
    exchange.isSuspended = true;
    return true;
}

/// With the body; once.
void Pipeline::process(Exchange& exchange) {
    requireWholeBody(exchange.channel, exchange.bodyLimit);
    if (exchange.observed)
        exchange.observedParts.requestBodySize = exchange.channel.body().size();
    if (exchange.match.handler->route.body != Body::Raw) {
        exchange.body = exchange.channel.body().take();
        exchange.bodyConsumed = true;
        if (exchange.observed)
            exchange.observedParts.requestBody = exchange.body.substr(0, exchange.observed->requestBody);
    }
    runHandler(exchange);
    if (!exchange.content)
        return;
    if (exchange.content->stream)
        beginStream(exchange);
    else
        chooseBytes(exchange);
}

/// Who may open the control socket may do what operators may; nothing that the request says is believed for it.
void Pipeline::admitLocalUser(Exchange& exchange, unsigned user) {
    exchange.isLocal = true;
    if (exchange.audience == Audience::Public)
        return;
    if (exchange.audience != Audience::Operator)
        throw ApiError::notFound("Only the operators' API is served at the control socket");
    auto record = std::make_shared<KeyRecord>();
    record->principal.isOperator = true;
    record->principal.keyPrefix =
        localActor(user, exchange.request.get("X-Local-User", "")); // the audit log's name for who did it
    exchange.key = std::move(record);
}

void Pipeline::authenticate(Exchange& exchange) {
    if (_deps.requestAuthenticators.serve(exchange.audience) && !exchange.request.has("Authorization")) {
        exchange.key = _deps.requestAuthenticators.authenticate(exchange.audience, HttpRequestHead(exchange));
        exchange.isSignedIn = exchange.key != nullptr;
    }
    if (exchange.isSignedIn || exchange.audience == Audience::Public)
        return;
    try {
        _deps.authenticator.authenticate(exchange.request.get("Authorization", ""), exchange.audience, exchange.client,
                                         &exchange.key);
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::Unauthorized)
            _deps.metrics.authFailures("unauthorized").Increment();
        else if (error.kind() == ErrorKind::Forbidden)
            _deps.metrics.authFailures(error.details().front().code).Increment();
        else if (error.kind() == ErrorKind::RateLimited)
            _deps.metrics.authFailures("address_limited").Increment();
        throw;
    }
}

void Pipeline::limitRate(Exchange& exchange) {
    const auto& key = *exchange.key;
    const auto limit = key.hourlyLimit > 0 ? key.hourlyLimit : _deps.settings.rateLimit.requestsPerHour;
    // A key that has more than all of a supplier's together was given that by an operator.
    const auto ofSupplier = _deps.settings.rateLimit.ofSupplier();
    const bool isShared = key.principal.supplierId != 0 && limit <= ofSupplier;
    exchange.rateLimit =
        _deps.rateLimiter.count(key.principal.keyId, limit, {key.principal.supplierId, isShared ? ofSupplier : 0});
    if (exchange.rateLimit->allowed)
        return;
    _deps.metrics.rateLimited().Increment();
    throw limitExceeded(exchange.rateLimit->limit, exchange.rateLimit->secondsLeft);
}

/// Of requests that no key is counted for.
void Pipeline::limitAddress(const Exchange& exchange) {
    const auto* handler = exchange.match.handler;
    const bool isFree = handler && handler->route.audience == Audience::Public && handler->route.perMinute < 0;
    auto& limiter = handler && handler->limiter ? *handler->limiter : _publicLimiter;
    if (isFree || (&limiter == &_publicLimiter && _deps.settings.rateLimit.publicPerMinute == 0))
        return;
    const int seconds = limiter.take(exchange.client);
    if (seconds == 0)
        return;
    _deps.metrics.rateLimited().Increment();
    throw ApiError(ErrorKind::RateLimited, "Too many requests from this address").withRetryAfter(seconds);
}

void Pipeline::checkRoute(const Exchange& exchange) {
    if (!exchange.match.handler) {
        if (exchange.match.allow.empty())
            throw ApiError::notFound("There is nothing at this path");
        throw ApiError(ErrorKind::MethodNotAllowed, "This path allows " + exchange.match.allow);
    }
    const auto& scope = exchange.match.handler->route.scope;
    if (!exchange.key && !scope.empty())
        throw ApiError(ErrorKind::Unauthorized, "Sign in first");
    if (exchange.key && !exchange.key->principal.hasScope(scope)) {
        const std::string message =
            (exchange.isSignedIn ? "This user lacks the scope '" : "This API key lacks the scope '") + scope + "'";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "scope", message}});
    }
}

void Pipeline::runHandler(Exchange& exchange) {
    const bool isWrite = exchange.match.handler->route.method != Method::Get;
    if (isWrite && exchange.key && exchange.request.has("Idempotency-Key")) {
        if (exchange.match.handler->route.body == Body::Raw)
            throw ApiError::validation({{"Idempotency-Key", "unsupported", "This path takes no Idempotency-Key"}});
        runIdempotently(exchange, exchange.request.get("Idempotency-Key"));
        return;
    }
    bool recorded = false;
    exchange.result = callHandler(exchange, nullptr, recorded);
}

void Pipeline::runIdempotently(Exchange& exchange, std::string_view key) {
    const IdempotencyStore::Attempt attempt(_deps.idempotency, exchange.key->principal, exchange.request.getMethod(),
                                            exchange.target.path, key);
    if (auto stored = _deps.idempotency.claim(attempt, exchange.body)) {
        exchange.result = std::move(*stored);
        exchange.replayed = true;
        return;
    }
    const IdempotencyClaim& claim = attempt.claim();
    bool recorded = false;
    try {
        exchange.result = callHandler(exchange, &claim, recorded);
    } catch (const std::exception& failure) {
        const auto error = errorOf(exchange, failure);
        exchange.result = errorResult(error);
        exchange.errorCode = errorRow(error.kind()).code;
    } catch (...) {
        _deps.idempotency.release(claim);
        throw;
    }
    if (recorded)
        return;
    if (exchange.result.status >= FIRST_SERVER_ERROR)
        _deps.idempotency.release(claim);
    else
        _deps.idempotency.finish(claim, exchange.result);
}

RequestContext::Inputs Pipeline::contextInputs(const Exchange& exchange, const RequestHead& head, QueryParameters query,
                                               const std::vector<Detail>& warnings) {
    static const Principal NOBODY;
    static const RateLimitState UNLIMITED;
    return {head,
            exchange.match,
            exchange.key ? exchange.key->principal : NOBODY,
            exchange.rateLimit ? *exchange.rateLimit : UNLIMITED,
            std::move(query),
            std::nullopt,
            nullptr,
            nullptr,
            exchange.admission,
            warnings,
            _deps.database,
            nullptr,
            _sample,
            spareBuffer()};
}

void Pipeline::askRoute(Exchange& exchange) {
    static const std::vector<Detail> NO_WARNINGS;
    Details problems;
    auto query = parseQuery(exchange.target.query, problems);
    problems.throwIfAny();
    const HttpRequestHead head(exchange);
    RequestContext context(contextInputs(exchange, head, std::move(query), NO_WARNINGS));
    const CurrentWork mark(exchange.match.handler->plugin.c_str(), exchange.match.handler->work.c_str());
    exchange.admission = exchange.match.handler->route.admit(context);
}

HandlerResult Pipeline::callHandler(Exchange& exchange, const IdempotencyClaim* claim, bool& recorded) {
    const auto& route = exchange.match.handler->route;
    Details problems;
    auto query = parseQuery(exchange.target.query, problems);
    std::optional<JsonDocument> body;
    std::optional<QueryParameters> form;
    std::optional<RawBody> rawBody;
    if (route.body == Body::Json) {
        problems.throwIfAny();
        body = readJson(std::move(exchange.body));
    } else if (route.body == Body::Form) {
        form = parseForm(exchange.body, problems);
    } else if (route.body == Body::Raw) {
        rawBody.emplace(exchange.channel.body(), exchange.observedParts.requestBody,
                        exchange.observed ? exchange.observed->requestBody : 0);
    }
    problems.throwIfAny();
    const auto& schema = exchange.match.handler->schema;
    const auto warnings = schema ? schema->unknown(query, body ? body->object() : JsonObject()) : std::vector<Detail>();
    const HttpRequestHead head(exchange);
    auto inputs = contextInputs(exchange, head, std::move(query), warnings);
    inputs.body = body;
    inputs.form = form ? &*form : nullptr;
    inputs.rawBody = rawBody ? &*rawBody : nullptr;
    inputs.claim = claim;
    RequestContext context(std::move(inputs));
    struct NoteConsumed { // also when the handler throws
        ~NoteConsumed() { consumed = !body || body->isConsumed(); }
        bool& consumed;
        const std::optional<RawBody>& body;
    } const note{exchange.bodyConsumed, rawBody};
    const CurrentWork mark(exchange.match.handler->plugin.c_str(), exchange.match.handler->work.c_str());
    auto response = route.handler(context);
    checkResponse(response, route.method);
    _sample.check(response);
    recorded = context.recorded();
    if (response.content || response.stream) {
        exchange.content.emplace();
        exchange.content->bytes = std::move(response.content);
        exchange.content->stream = std::move(response.stream);
        exchange.content->type = std::move(response.contentType);
        return {response.status, std::move(response.headers), {}, false};
    }
    if (!response.contentType.empty())
        return {response.status, std::move(response.headers), std::move(response.data), response.secret,
                std::move(response.contentType)};
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
    const auto* etag = findHeader(exchange.result.headers, "ETag");
    content.size = content.bytes->size();
    content.choice = chooseContent(exchange.request, content.size, etag ? std::string_view(*etag) : std::string_view());
    switch (content.choice.status) {
    case Poco::Net::HTTPResponse::HTTP_PRECONDITION_FAILED:
        throw ApiError::preconditionFailed("This is no longer what If-Match names");
    case Poco::Net::HTTPResponse::HTTP_REQUESTED_RANGE_NOT_SATISFIABLE:
        throw ApiError(ErrorKind::RangeNotSatisfiable,
                       "There are " + std::to_string(content.size) + " bytes, and none in this range");
    case Poco::Net::HTTPResponse::HTTP_NOT_MODIFIED:
        exchange.result.status = content.choice.status;
        exchange.content.reset();
        return;
    default:
        exchange.result.status = content.choice.status;
    }
}

/// Before anything is sent, so that a stream that fails at once is still an error.
void Pipeline::beginStream(Exchange& exchange) const {
    auto& content = *exchange.content;
    if (exchange.request.getMethod() != Poco::Net::HTTPRequest::HTTP_HEAD)
        content.isAllBegun = readPiece(*content.stream, content.begun);
}

void Pipeline::fail(Exchange& exchange, const std::exception& failure) {
    const auto error = errorOf(exchange, failure);
    exchange.result = errorResult(error);
    exchange.errorCode = errorRow(error.kind()).code;
    if (error.kind() == ErrorKind::MethodNotAllowed)
        exchange.result.headers.emplace_back("Allow", exchange.match.allow);
    if (error.kind() == ErrorKind::RangeNotSatisfiable && exchange.content)
        exchange.result.headers.emplace_back("Content-Range", "bytes */" + std::to_string(exchange.content->size));
    if (_deps.router.hasErrorPages())
        showErrorPage(exchange, error);
}

/// What fails before routing belongs to a route too.
const RoutedHandler* Pipeline::failedHandler(const Exchange& exchange) const {
    const auto* handler = exchange.match.handler;
    if (!handler && !exchange.target.segments.empty())
        handler = _deps.router.find(exchange.request.getMethod(), exchange.target.segments).handler;
    return handler;
}

void Pipeline::showErrorPage(Exchange& exchange, const ApiError& error) {
    static const std::vector<Detail> NONE;
    const auto* handler = failedHandler(exchange);
    if (!handler || !handler->route.errorPage)
        return;
    const CurrentWork mark(handler->plugin.c_str(), handler->work.c_str());
    const HttpRequestHead head(exchange);
    const bool isInternal = error.kind() == ErrorKind::Internal;
    std::string reason;
    try {
        auto page = handler->route.errorPage({exchange.result.status, exchange.errorCode, publicMessage(error),
                                              isInternal ? NONE : error.details(), exchange.requestId, head});
        checkErrorPage(page);
        auto& result = exchange.result;
        result.status = page.status;
        result.payload = std::move(page.data);
        result.contentType = std::move(page.contentType);
        for (auto& header : page.headers)
            result.headers.push_back(std::move(header));
        return;
    } catch (const std::exception& failure) {
        reason = failure.what();
    } catch (...) { // a plugin may throw anything
        reason = "an exception that is no std::exception";
    }
    _deps.log.error("an error page failed; the envelope was sent: " + reason,
                    {{"request_id", exchange.requestId}, {"plugin", handler->plugin}, {"route", handler->work}});
}

/// What the client is told, and a line in the log where the operator has to know.
ApiError Pipeline::errorOf(const Exchange& exchange, const std::exception& failure) {
    if (const auto* known = dynamic_cast<const ApiError*>(&failure)) {
        if (known->kind() == ErrorKind::Unavailable)
            _unavailable.note(known->message(), whereOf(exchange));
        if (known->kind() == ErrorKind::Internal) {
            _deps.log.write(LogLevel::Warning, known->message(), whereOf(exchange));
            _deps.metrics.internalErrors().Increment();
        }
        return *known;
    }
    const auto* database = dynamic_cast<const DatabaseError*>(&failure);
    const auto* poco = dynamic_cast<const Poco::Exception*>(&failure);
    const std::string reason = poco ? poco->displayText() : std::string(failure.what());
    auto where = whereOf(exchange);
    where.emplace_back("exception", demangled(typeid(failure).name()));
    _deps.log.write(LogLevel::Error, "request failed: " + reason, where);
    if (database && database->isConnectionLost())
        return databaseAway();
    if (database && database->isRetryable()) // locked, or deadlocked, time and again
        return databaseBusy();
    _deps.metrics.internalErrors().Increment();
    return ApiError(ErrorKind::Internal, reason);
}

/// What was not noted on the way: headers, and the body of a request that was refused before it was read.
void Pipeline::observe(Exchange& exchange) {
    auto& parts = exchange.observedParts;
    const bool isUnread = !exchange.bodyConsumed && parts.requestBodySize == 0;
    if (isUnread && exchange.channel.bodyState() == Connection::BodyState::Complete) {
        parts.requestBodySize = exchange.channel.body().size();
        parts.requestBody = exchange.channel.body().begin(exchange.observed->requestBody);
    }
    if (exchange.observed->headers.empty())
        return;
    for (const HeaderField& field : exchange.channel.head().fields)
        for (const std::string& name : exchange.observed->headers)
            if (equalsIgnoringCase(field.name, name) &&
                std::none_of(parts.headers.begin(), parts.headers.end(),
                             [&](const auto& had) { return had.first == name; }))
                parts.headers.emplace_back(name, field.value);
}

AnsweredExchange Pipeline::answered(Exchange& exchange) const {
    AnsweredExchange answered;
    answered.startedAt = exchange.startedAt;
    answered.requestId = std::move(exchange.requestId);
    answered.client = std::move(exchange.client);
    answered.method = exchange.request.getMethod();
    if (_deps.observers.any()) {
        answered.path = exchange.target.path;
        if (exchange.observed)
            observe(exchange);
        answered.observed = std::move(exchange.observedParts);
        answered.observed.query = exchange.target.query;
    }
    answered.key = std::move(exchange.key);
    answered.handler = exchange.match.handler;
    answered.status = exchange.result.status;
    answered.errorCode = exchange.errorCode;
    answered.isContent = exchange.content.has_value();
    return answered;
}

/// Notes a response whose last bytes the gate sends.
class Pipeline::Completion final : public SendCompletion {
public:
    Completion(Pipeline& pipeline, AnsweredExchange exchange)
        : _pipeline(pipeline), _running(pipeline._running), _exchange(std::move(exchange)) {}
    void sent(const SendResult& result) noexcept override { _pipeline.account(std::move(_exchange), result); }

private:
    Pipeline& _pipeline;
    const Running _running;
    AnsweredExchange _exchange;
};

void Pipeline::send(Exchange& exchange) {
    const bool closes = !exchange.bodyConsumed || exchange.channel.isDraining();
    auto written = exchange.content ? writeContent(exchange, closes) : writeResponse(exchange, closes);
    written.outgoing.supplierId = supplierOf(exchange);
    written.outgoing.isForKnown = exchange.key != nullptr;
    auto answered = this->answered(exchange);
    answered.headSize = written.headSize;
    answered.streamed = std::move(written.streamed);
    const auto sent = exchange.channel.respond(std::move(written.outgoing), [&] {
        return std::unique_ptr<SendCompletion>(std::make_unique<Completion>(*this, std::move(answered)));
    });
    if (sent)
        account(std::move(answered), *sent);
    constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;
    if (exchange.result.payload.capacity() <= KEEP_AT_MOST)
        spareBuffer().swap(exchange.result.payload);
}

void Pipeline::account(AnsweredExchange exchange, const SendResult& sent) {
    auto bytes = sent.bytes > exchange.headSize ? sent.bytes - exchange.headSize : 0;
    if (exchange.streamed) // without the framing of its chunks
        bytes = std::min(bytes, *exchange.streamed);
    if (exchange.isContent)
        noteContent(exchange, sent, bytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - exchange.startedAt;
    auto& metrics = exchange.handler ? *exchange.handler->metrics : _unmatched;
    metrics.count(exchange.status, took.count());
    if (_deps.accessLog)
        logAccess(exchange, sent, bytes, took);
    if (_deps.observers.any())
        notifyObservers(std::move(exchange), bytes, std::chrono::duration_cast<std::chrono::microseconds>(took));
}

void Pipeline::logAccess(const AnsweredExchange& exchange, const SendResult& sent, std::uint64_t bytes,
                         std::chrono::duration<double> took) {
    AccessRecord record;
    record.requestId = exchange.requestId;
    if (exchange.key) {
        record.keyPrefix = exchange.key->principal.keyPrefix;
        record.supplierId = exchange.key->principal.supplierId;
    }
    record.client = exchange.client;
    record.method = exchange.method;
    record.route = exchange.handler ? std::string_view(exchange.handler->pattern) : UNMATCHED;
    record.status = exchange.status;
    record.bytes = bytes;
    record.cutOff = exchange.isContent && !sent.isWhole;
    record.milliseconds = took.count() * 1000;
    _deps.accessLog->write(record);
}

/// The head promised a length: when the bytes do not come, only a closed connection tells the client.
void Pipeline::noteContent(const AnsweredExchange& exchange, const SendResult& sent, std::uint64_t bytes) {
    _deps.metrics.contentBytes().Increment(static_cast<double>(bytes));
    if (sent.isWhole)
        return;
    _deps.metrics.contentCutOff(sent.failure.empty() ? "client" : "content").Increment();
    if (!sent.failure.empty())
        _deps.log.error("content was cut off: " + sent.failure, {{"request_id", exchange.requestId},
                                                                 {"plugin", exchange.handler->plugin},
                                                                 {"route", exchange.handler->work}});
}

void Pipeline::notifyObservers(AnsweredExchange exchange, std::uint64_t bytes, std::chrono::microseconds took) {
    RequestSummary facts;
    facts.method = exchange.method;
    if (exchange.handler)
        facts.route = exchange.handler->pattern;
    facts.status = exchange.status;
    if (exchange.key) {
        const auto& principal = exchange.key->principal;
        facts.supplierId = principal.supplierId;
        facts.keyId = principal.keyId;
        facts.isOperator = principal.isOperator;
    }
    facts.took = took;
    facts.answeredAt = std::chrono::system_clock::now();
    _deps.observers.note(facts, [&] {
        AnsweredRequest request;
        request.requestId = std::move(exchange.requestId);
        request.method = exchange.method;
        request.path = std::move(exchange.path);
        request.query = std::move(exchange.observed.query);
        request.requestBodySize = exchange.observed.requestBodySize;
        request.requestBody = std::move(exchange.observed.requestBody);
        request.errorBody = std::move(exchange.observed.errorBody);
        request.headers = std::move(exchange.observed.headers);
        request.route = facts.route;
        request.status = facts.status;
        request.errorCode = exchange.errorCode;
        request.clientAddress = std::move(exchange.client);
        request.supplierId = facts.supplierId;
        request.keyId = facts.keyId;
        if (exchange.key)
            request.keyPrefix = exchange.key->principal.keyPrefix;
        request.isOperator = facts.isOperator;
        request.bytesSent = bytes;
        request.took = took;
        request.answeredAt = facts.answeredAt;
        return request;
    });
}

void Pipeline::noteRefusal(const Refusal& refusal, std::string_view requestId) {
    if (refusal.status >= Poco::Net::HTTPResponse::HTTP_BAD_REQUEST)
        _deps.metrics.refused(refusal.reason).Increment();
    _unmatched.count(refusal.status, 0);
    if (!_deps.accessLog)
        return;
    const auto client = withoutMapping(refusal.client).toString();
    AccessRecord record;
    record.requestId = requestId;
    record.client = client;
    record.method = refusal.head ? refusal.head->method : "-";
    record.route = UNMATCHED;
    record.status = refusal.status;
    _deps.accessLog->write(record);
}

} // namespace supplierd::host
