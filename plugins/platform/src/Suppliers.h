#pragma once

#include "Services.h"

#include <supplierd/Request.h>

#include <string_view>

namespace supplierd::platform {

/// GET and POST /suppliers, GET /suppliers/{id}, POST /suppliers/{id}/verify and …/suspend. Thread: any.
class Suppliers {
public:
    explicit Suppliers(const Services& services) : _services(services) {}

    /// Each throws ApiError: Validation with every problem, NotFound.
    Response list(Request& request) const;
    Response read(Request& request) const;
    Response create(Request& request) const;
    Response verify(Request& request) const { return setStatus(request, "verify", "verified"); }
    Response suspend(Request& request) const { return setStatus(request, "suspend", "suspended"); }

private:
    /// The servers' keys caches know within 2 seconds. A supplier that is so already stays untouched.
    Response setStatus(Request& request, std::string_view verb, std::string_view status) const;

    const Services& _services;
};

} // namespace supplierd::platform
