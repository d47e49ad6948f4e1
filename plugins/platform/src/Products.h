#pragma once

#include "Services.h"

#include <supplierd/Request.h>

#include <optional>
#include <string>

namespace supplierd::platform {

/// GET /products, GET /products/{id}, POST /products/{id}/approve and …/reject, of every supplier. Thread: any.
class Products {
public:
    explicit Products(const Services& services) : _services(services) {}

    /// Each throws ApiError: Validation with every problem, NotFound.
    Response list(Request& request) const { return _services.catalogue->list(request); }
    Response read(Request& request) const;
    Response approve(Request& request) const { return decide(request, std::nullopt); }
    Response reject(Request& request) const;

private:
    Response decide(Request& request, const std::optional<std::string>& reason) const;
    Response answer(Request& request, SqlSession& session) const;

    const Services& _services;
};

} // namespace supplierd::platform
