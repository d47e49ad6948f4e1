#pragma once

#include "Cursor.h"
#include "ListSort.h"

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
    /// `search` as a pattern of LIKE … ESCAPE '|'.
    std::string searchPattern;
    std::vector<std::string> skuKeys;
    std::optional<std::int64_t> categoryId;
    std::optional<std::int64_t> type;
    std::optional<std::string> updatedSince;
    bool includeDeleted = false;

    /// No counter knows how many products match: they are counted.
    bool isCounted() const { return !search.empty() || !skuKeys.empty() || updatedSince.has_value(); }
    /// Totals come from supplier_state alone.
    bool isPlain() const { return !isCounted() && !categoryId && !type; }
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

    /// Throws ApiError (Validation) with every problem of the query.
    static ListQuery read(const QueryParameters& parameters, std::string_view rawQuery, std::int64_t supplierId);
};

} // namespace supplierd::catalog
