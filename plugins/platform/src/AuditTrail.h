#pragma once

#include "Services.h"

#include <supplierd/Request.h>

namespace supplierd::platform {

/// GET /audit: who did what to which object when, newest first. Thread: any.
class AuditTrail {
public:
    explicit AuditTrail(const Services& services) : _services(services) {}

    /// Throws ApiError (Validation) with every problem of the query.
    Response list(Request& request) const;

private:
    const Services& _services;
};

} // namespace supplierd::platform
