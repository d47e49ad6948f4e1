#include "host/http/pipeline/Pipeline.h"

#include "host/http/RequestBody.h"
#include "host/http/RequestParsing.h"
#include "host/http/response/ResponseWriter.h"

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

namespace {

std::int64_t supplierOf(const Exchange& exchange) {
    return exchange.key ? exchange.key->principal.supplierId : 0;
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

void chooseBytes(Exchange& exchange) {
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
void beginStream(Exchange& exchange) {
    auto& content = *exchange.content;
    if (exchange.request.getMethod() != Poco::Net::HTTPRequest::HTTP_HEAD)
        content.isAllBegun = readPiece(*content.stream, content.begun);
}

} // namespace

Pipeline::Pipeline(PipelineParts parts)
    : _parts(parts),
      _cors(parts.settings.server.corsOrigins),
      _admission(_parts),
      _failures(_parts),
      _handlers(_parts, _failures),
      _accounts(_parts) {}

void Pipeline::handle(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) {
    const Running running(_running);
    Exchange exchange(request, response, _parts.database);
    const std::chrono::duration<double> queued = exchange.startedAt - exchange.channel.queuedAt();
    _parts.metrics.queueSeconds().Observe(std::max(queued.count(), 0.0));
    response.setKeepAlive(exchange.channel.head().keepsAlive);
    exchange.corsFields = _cors.fields(exchange.channel.head());
    exchange.compresses = _parts.settings.server.compression;
    produce(exchange);
    if (!exchange.isSuspended)
        send(exchange);
    response.setKeepAlive(true); // what Poco takes for the connection is the worker's
}

void Pipeline::produce(Exchange& exchange) {
    const auto suspended = exchange.channel.takeSuspended();
    if (suspended) {
        static_cast<RequestFacts&>(exchange) = std::move(dynamic_cast<SuspendedFacts&>(*suspended).facts);
    } else {
        const auto given = exchange.request.get("X-Request-Id", "");
        exchange.requestId = isValidRequestId(given) ? given : newRequestId();
    }
    const auto& head = exchange.channel.head();
    exchange.bodyConsumed =
        head.framing == BodyFraming::None || (head.framing == BodyFraming::Length && head.contentLength == 0);
    try {
        if (!suspended) {
            _admission.admit(exchange);
            if (exchange.match.handler->route.admit)
                _handlers.askRoute(exchange);
        }
        if (suspended || !awaitsBody(exchange))
            process(exchange);
        return;
    } catch (const std::exception& failure) {
        _failures.respond(exchange, failure);
    } catch (...) { // a plugin may throw anything; this is the edge
        _failures.respond(exchange, std::runtime_error("an exception that is no std::exception"));
    }
    exchange.content.reset();
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
                                 std::make_unique<SuspendedFacts>(std::move(static_cast<RequestFacts&>(exchange))));
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
    _handlers.run(exchange);
    if (!exchange.content)
        return;
    if (exchange.content->stream)
        beginStream(exchange);
    else
        chooseBytes(exchange);
}

/// Notes a response whose last bytes the gate sends.
class Pipeline::Completion final : public SendCompletion {
public:
    Completion(Pipeline& pipeline, RequestOutcome exchange)
        : _pipeline(pipeline), _running(pipeline._running), _exchange(std::move(exchange)) {}
    void sent(const SendResult& result) noexcept override { _pipeline._accounts.note(std::move(_exchange), result); }

private:
    Pipeline& _pipeline;
    const Running _running;
    RequestOutcome _exchange;
};

void Pipeline::send(Exchange& exchange) {
    const bool closes = !exchange.bodyConsumed || exchange.channel.isDraining();
    auto written = exchange.content ? writeContent(exchange, closes) : writeResponse(exchange, closes);
    written.outgoing.supplierId = supplierOf(exchange);
    written.outgoing.isForKnown = exchange.key != nullptr;
    auto answered = _accounts.answered(exchange);
    answered.headSize = written.headSize;
    answered.streamed = std::move(written.streamed);
    const auto sent = exchange.channel.respond(std::move(written.outgoing), [&] {
        return std::unique_ptr<SendCompletion>(std::make_unique<Completion>(*this, std::move(answered)));
    });
    if (sent)
        _accounts.note(std::move(answered), *sent);
    // A worker that once sent a large response gives that memory back.
    constexpr std::size_t KEEP_AT_MOST = std::size_t{256} << 10;
    if (exchange.result.payload.capacity() <= KEEP_AT_MOST)
        HandlerRunner::spareBuffer().swap(exchange.result.payload);
}

} // namespace supplierd::host
