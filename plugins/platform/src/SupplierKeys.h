#pragma once

#include "Services.h"

#include <supplierd/Request.h>

namespace supplierd::platform {

/// GET and POST /suppliers/{id}/keys, POST /keys/{id}/revoke. Operators' keys are made with supplierctl only, but can
/// be revoked here; not the one that asks, so that no operator locks itself out. Thread: any.
class SupplierKeys {
public:
    explicit SupplierKeys(const Services& services) : _services(services) {}

    /// Each throws ApiError: Validation with every problem, NotFound, Conflict.
    Response list(Request& request) const;
    Response create(Request& request) const;
    Response revoke(Request& request) const;

private:
    const Services& _services;
};

} // namespace supplierd::platform
