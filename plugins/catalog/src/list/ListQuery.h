#pragma once

#include "Cursor.h"
#include "ListSort.h"
#include "ListedProducts.h"
#include "index/IndexedProduct.h"

#include <supplierd/Query.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// Which products a list shows. Values go into statements as parameters only.
struct ListFilters {
    std::optional<std::int64_t> state;
    std::string search;
    std::vector<std::string> skuKeys;
    std::optional<std::int64_t> categoryId;
    std::optional<std::int64_t> type;
    std::optional<std::string> updatedSince;
    bool includeDeleted = false;
    std::optional<std::int64_t> approval = std::nullopt; ///< not together with `state`

    bool areNone() const {
        return !state && !approval && search.empty() && skuKeys.empty() && !categoryId && !type && !updatedSince &&
               !includeDeleted;
    }
    /// But for the weights of the search, which only the database knows.
    IndexFilter indexFilter() const;
    /// What ties a cursor to the list it came from.
    std::uint64_t fingerprint(std::int64_t supplierId, ListSort sort) const;
};

/// The query of GET /products, checked.
struct ListQuery {
    Page page;
    ListFilters filters;
    ListSort sort;
    std::optional<Cursor> cursor;
    std::optional<std::int64_t> changedAfter;
    ListInclusions include;

    /// Throws ApiError (Validation) with every problem of the query.
    static ListQuery read(const QueryParameters& parameters, std::string_view rawQuery, std::int64_t supplierId);
};

} // namespace supplierd::catalog
