#include "host/http/pipeline/RequestAccounts.h"

#include "host/http/RequestParsing.h"

#include <algorithm>

namespace supplierd::host {

/// What was not noted on the way: headers, and the body of a request that was refused before it was read.
void RequestAccounts::observe(Exchange& exchange) {
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

RequestOutcome RequestAccounts::answered(Exchange& exchange) const {
    RequestOutcome answered;
    answered.startedAt = exchange.startedAt;
    answered.requestId = std::move(exchange.requestId);
    answered.client = std::move(exchange.client);
    answered.method = exchange.request.getMethod();
    if (_parts.observers.any()) {
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

void RequestAccounts::note(RequestOutcome exchange, const SendResult& sent) {
    auto bytes = sent.bytes > exchange.headSize ? sent.bytes - exchange.headSize : 0;
    if (exchange.streamed) // without the framing of its chunks
        bytes = std::min(bytes, *exchange.streamed);
    if (exchange.isContent)
        noteContent(exchange, sent, bytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - exchange.startedAt;
    auto& metrics = exchange.handler ? *exchange.handler->metrics : _unmatched;
    metrics.count(exchange.status, took.count());
    if (_parts.accessLog)
        logAccess(exchange, sent, bytes, took);
    if (_parts.observers.any())
        notifyObservers(std::move(exchange), bytes, std::chrono::duration_cast<std::chrono::microseconds>(took));
}

void RequestAccounts::logAccess(const RequestOutcome& exchange, const SendResult& sent, std::uint64_t bytes,
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
    _parts.accessLog->write(record);
}

/// The head promised a length: when the bytes do not come, only a closed connection tells the client.
void RequestAccounts::noteContent(const RequestOutcome& exchange, const SendResult& sent, std::uint64_t bytes) {
    _parts.metrics.contentBytes().Increment(static_cast<double>(bytes));
    if (sent.isWhole)
        return;
    _parts.metrics.contentCutOff(sent.failure.empty() ? "client" : "content").Increment();
    if (!sent.failure.empty())
        _parts.log.error("content was cut off: " + sent.failure, {{"request_id", exchange.requestId},
                                                                  {"plugin", exchange.handler->plugin},
                                                                  {"route", exchange.handler->work}});
}

void RequestAccounts::notifyObservers(RequestOutcome exchange, std::uint64_t bytes, std::chrono::microseconds took) {
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
    _parts.observers.note(facts, [&] {
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

void RequestAccounts::noteRefusal(const Refusal& refusal, std::string_view requestId) {
    if (refusal.status >= Poco::Net::HTTPResponse::HTTP_BAD_REQUEST)
        _parts.metrics.refused(refusal.reason).Increment();
    _unmatched.count(refusal.status, 0);
    if (!_parts.accessLog)
        return;
    const auto client = withoutMapping(refusal.client).toString();
    AccessRecord record;
    record.requestId = requestId;
    record.client = client;
    record.method = refusal.head ? refusal.head->method : "-";
    record.route = UNMATCHED;
    record.status = refusal.status;
    _parts.accessLog->write(record);
}

} // namespace supplierd::host
