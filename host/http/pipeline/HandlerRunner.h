#pragma once

#include "host/http/pipeline/Exchange.h"
#include "host/http/pipeline/PipelineParts.h"
#include "host/http/pipeline/RequestContext.h"
#include "host/http/pipeline/RequestFailures.h"
#include "host/http/pipeline/ResponseSample.h"

#include <Poco/Semaphore.h>

namespace supplierd::host {

/// Calls routes' handlers, and repeats what an Idempotency-Key has had before. Thread: any.
class HandlerRunner {
public:
    HandlerRunner(const PipelineParts& parts, RequestFailures& failures);

    /// Asks a route that wants to be asked by the head alone.
    void askRoute(Exchange& exchange);
    /// With the body. Throws what the handler throws.
    void run(Exchange& exchange);

    /// Memory of earlier responses, so that a page of a list costs no allocation. Of this thread.
    static std::string& spareBuffer();

private:
    void runIdempotently(Exchange& exchange, std::string_view key);
    RequestContext::Inputs contextInputs(Exchange& exchange, const RequestHead& head, QueryParameters query,
                                         const std::vector<Detail>& warnings);
    HandlerResult callHandler(Exchange& exchange, const IdempotencyClaim* claim, bool& recorded);
    JsonDocument readJson(std::string body);

    const PipelineParts& _parts;
    RequestFailures& _failures;
    const ResponseSample _sample;
    Poco::Semaphore _largeReads;
};

} // namespace supplierd::host
