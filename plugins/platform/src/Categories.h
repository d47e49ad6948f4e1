#pragma once

#include "Services.h"

#include <supplierd/Request.h>

namespace supplierd::platform {

/// GET and POST /categories, POST /categories/{id}: the tree that all suppliers share, inactive ones too. Thread: any.
class Categories {
public:
    explicit Categories(const Services& services) : _services(services) {}

    /// Each throws ApiError: Validation with every problem, NotFound.
    Response list(Request& request) const;
    Response add(Request& request) const;
    Response change(Request& request) const;

private:
    Response answer(Request& request, Transaction& transaction, const CategoryChange& change) const;

    const Services& _services;
};

} // namespace supplierd::platform
