#pragma once

#include "host/http/pipeline/Admission.h"
#include "host/http/pipeline/CorsPolicy.h"
#include "host/http/pipeline/Exchange.h"
#include "host/http/pipeline/HandlerRunner.h"
#include "host/http/pipeline/PipelineParts.h"
#include "host/http/pipeline/RequestAccounts.h"
#include "host/http/pipeline/RequestFailures.h"

#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>

#include <atomic>

namespace supplierd::host {

/// What one request goes through: request id → authenticate → rate limit → route, which may refuse it by its head
/// (Admission) → body → handler (HandlerRunner) → envelope, or what is sent without one → access log, metrics and
/// observers (RequestAccounts). Whatever a handler throws becomes an envelope, or its route's error page
/// (RequestFailures). Thread: any, one request per call.
class Pipeline {
public:
    explicit Pipeline(PipelineParts parts);

    /// A request that came through the gate. One that has to wait for its body is admitted by its head alone, comes a
    /// second time, and is worked on then.
    void handle(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response);
    /// A request that the gate answered.
    void noteRefusal(const Refusal& refusal, std::string_view requestId) { _accounts.noteRefusal(refusal, requestId); }
    /// So much memory, which was held for a client, is free again.
    void noteFreed(std::uint64_t bytes) noexcept { _parts.heap.note(static_cast<std::size_t>(bytes)); }
    const CorsPolicy& cors() const { return _cors; }
    /// Requests that are worked on, and responses that are sent.
    int running() const { return _running.load(std::memory_order_relaxed); }

private:
    void produce(Exchange& exchange);
    static bool awaitsBody(Exchange& exchange);
    void process(Exchange& exchange);
    void send(Exchange& exchange);

    class Completion;

    const PipelineParts _parts; ///< which those below refer to
    CorsPolicy _cors;
    Admission _admission;
    RequestFailures _failures;
    HandlerRunner _handlers;
    RequestAccounts _accounts;
    std::atomic<int> _running{0};
};

} // namespace supplierd::host
