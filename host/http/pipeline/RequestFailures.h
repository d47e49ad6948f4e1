#pragma once

#include "host/http/pipeline/Exchange.h"
#include "host/http/pipeline/PipelineParts.h"
#include "host/http/pipeline/UnavailableLog.h"

#include <supplierd/Errors.h>

#include <exception>

namespace supplierd::host {

/// What becomes of an exception: the response, and a line in the log where the operator has to know. Thread: any.
class RequestFailures {
public:
    explicit RequestFailures(const PipelineParts& parts) : _parts(parts), _unavailable(parts.log) {}

    /// The response is the error's envelope, or its route's error page.
    void respond(Exchange& exchange, const std::exception& failure);
    /// The response is the error's envelope; the request is not over.
    ApiError respondPlainly(Exchange& exchange, const std::exception& failure);

private:
    ApiError errorOf(const Exchange& exchange, const std::exception& failure);
    void showErrorPage(Exchange& exchange, const ApiError& error);
    const RoutedHandler* failedHandler(const Exchange& exchange) const;

    const PipelineParts& _parts;
    UnavailableLog _unavailable;
};

} // namespace supplierd::host
