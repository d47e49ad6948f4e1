#include "host/http/pipeline/HandlerRunner.h"

#include "host/http/RequestBody.h"
#include "host/http/RequestParsing.h"
#include "host/http/response/ErrorTable.h"
#include "host/observe/CurrentWork.h"

#include <supplierd/JsonBody.h>

namespace supplierd::host {

namespace {

constexpr int FIRST_SERVER_ERROR = 500;
constexpr int LARGE_READS = 4;

} // namespace

HandlerRunner::HandlerRunner(const PipelineParts& parts, RequestFailures& failures)
    : _parts(parts),
      _failures(failures),
      _sample(parts.settings.server.checkResponses),
      _largeReads(LARGE_READS, LARGE_READS) {}

std::string& HandlerRunner::spareBuffer() {
    thread_local std::string buffer;
    return buffer;
}

void HandlerRunner::run(Exchange& exchange) {
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

void HandlerRunner::runIdempotently(Exchange& exchange, std::string_view key) {
    const IdempotencyStore::Attempt attempt(_parts.idempotency, exchange.key->principal, exchange.request.getMethod(),
                                            exchange.target.path, key);
    if (auto stored = _parts.idempotency.claim(attempt, exchange.body)) {
        exchange.result = std::move(*stored);
        exchange.replayed = true;
        return;
    }
    const IdempotencyClaim& claim = attempt.claim();
    exchange.database.atPresent(); // an attempt before this one may have changed something meanwhile
    bool recorded = false;
    try {
        exchange.result = callHandler(exchange, &claim, recorded);
    } catch (const std::exception& failure) {
        _failures.respondPlainly(exchange, failure);
    } catch (...) {
        _parts.idempotency.release(claim);
        throw;
    }
    if (recorded)
        return;
    if (exchange.result.status >= FIRST_SERVER_ERROR)
        _parts.idempotency.release(claim);
    else
        _parts.idempotency.finish(claim, exchange.result);
}

RequestContext::Inputs HandlerRunner::contextInputs(Exchange& exchange, const RequestHead& head, QueryParameters query,
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
            exchange.database,
            nullptr,
            _sample,
            spareBuffer()};
}

void HandlerRunner::askRoute(Exchange& exchange) {
    static const std::vector<Detail> NO_WARNINGS;
    Details problems;
    auto query = parseQuery(exchange.target.query, problems);
    problems.throwIfAny();
    const HttpRequestHead head(exchange);
    RequestContext context(contextInputs(exchange, head, std::move(query), NO_WARNINGS));
    const CurrentWork mark(exchange.match.handler->plugin.c_str(), exchange.match.handler->work.c_str());
    exchange.admission = exchange.match.handler->route.admit(context);
}

HandlerResult HandlerRunner::callHandler(Exchange& exchange, const IdempotencyClaim* claim, bool& recorded) {
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
JsonDocument HandlerRunner::readJson(std::string body) {
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

} // namespace supplierd::host
