#pragma once

#include "Services.h"

#include <supplierd/Request.h>

namespace supplierd::platform {

/// POST /orders, GET /order-groups, GET /order-groups/{id}, POST /order-groups/{id}/complete: the plugin orders does
/// the work, and writes the audit log. Thread: any.
class Orders {
public:
    explicit Orders(const Services& services) : _services(services) {}

    /// Each throws ApiError: Validation with every problem, NotFound.
    Response feed(Request& request) const;
    Response list(Request& request) const { return _services.orders->list(request); }
    Response read(Request& request) const { return _services.orders->read(request, request.pathInteger("id")); }
    Response complete(Request& request) const;

private:
    const Services& _services;
};

} // namespace supplierd::platform
