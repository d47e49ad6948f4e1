#pragma once

#include "host/gate/Refusals.h"
#include "host/http/pipeline/Exchange.h"
#include "host/http/pipeline/PipelineParts.h"

namespace supplierd::host {

/// What is noted of every request when its response has ended: access log, metrics and observers. Thread: any.
class RequestAccounts {
public:
    explicit RequestAccounts(const PipelineParts& parts)
        : _parts(parts), _unmatched(parts.metrics.route("any", UNMATCHED)) {}

    /// Takes what is noted later out of the exchange.
    RequestOutcome answered(Exchange& exchange) const;
    void note(RequestOutcome exchange, const SendResult& sent);
    /// A request that the gate answered.
    void noteRefusal(const Refusal& refusal, std::string_view requestId);

private:
    static void observe(Exchange& exchange);
    void logAccess(const RequestOutcome& exchange, const SendResult& sent, std::uint64_t bytes,
                   std::chrono::duration<double> took);
    void noteContent(const RequestOutcome& exchange, const SendResult& sent, std::uint64_t bytes);
    void notifyObservers(RequestOutcome exchange, std::uint64_t bytes, std::chrono::microseconds took);

    const PipelineParts& _parts;
    RouteMetrics& _unmatched;
};

} // namespace supplierd::host
