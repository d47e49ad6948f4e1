#pragma once

#include "BulkItem.h"
#include "ItemErrors.h"

#include <supplierd/Json.h>

#include <vector>

namespace supplierd::inventory {

/// The body of a bulk request, checked as far as that needs no database.
struct BulkInput {
    std::vector<BulkItem> items; ///< the good ones, in the request's order
    ItemErrors errors;           ///< of the others

    /// Throws ApiError (Validation) when `items` itself is wrong: missing, empty, no array, or too long.
    static BulkInput read(const JsonObject& body, Subject subject);
};

} // namespace supplierd::inventory
