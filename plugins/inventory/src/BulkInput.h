#pragma once

#include "ItemErrors.h"

#include <supplierd/Json.h>
#include <supplierd/services/Stock.h>

#include <cstddef>
#include <vector>

namespace supplierd::inventory {

/// The body of a bulk request of StockItems or PriceItems, checked as far as that needs no database.
template <class Item>
struct BulkInput {
    std::vector<Item> items;         ///< the good ones, in the request's order
    std::vector<std::size_t> places; ///< theirs in the request
    ItemErrors errors;               ///< of the others

    /// Throws ApiError (Validation) when `items` itself is wrong: missing, empty, no array, or too long.
    static BulkInput read(const JsonObject& body);
};

} // namespace supplierd::inventory
