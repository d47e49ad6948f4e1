#pragma once

#include "ListCursor.h"
#include "OrderStatus.h"

#include <supplierd/Query.h>

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::orders {

/// Which order groups a list shows. Values go into statements as parameters only.
struct ListFilters {
    /// Nothing: those of every supplier, for the platform.
    std::optional<std::int64_t> supplierId;
    std::optional<OrderStatus> status;
    std::optional<std::string> createdFrom; ///< UTC, as a DATETIME(6) text, like the others
    std::optional<std::string> createdTo;   ///< with its whole second
    std::optional<std::string> updatedSince;

    bool hasCreation() const { return createdFrom || createdTo; }
    /// No counter knows how many groups match: they are counted.
    bool isCounted() const { return hasCreation() || updatedSince; }
    /// The list is walked in the order (created_at, id) instead of id. Both are newest first.
    bool isByCreation() const { return hasCreation() && !updatedSince && !status; }
    std::uint64_t fingerprint() const;
};

/// The query of GET /orders, and of the platform's GET /order-groups, checked.
struct ListQuery {
    Page page;
    ListFilters filters;
    std::optional<ListCursor> cursor;

    /// `supplierId` nothing: of every supplier, or of the one that the query names. Throws ApiError (Validation) with
    /// every problem of the query.
    static ListQuery read(const QueryParameters& parameters, const std::optional<std::int64_t>& supplierId);
    /// Rows before the page; one that would overflow is past every end.
    std::int64_t offset() const;
    /// Of a walk: the page by number on which its next group lies, whatever the size of the pages before.
    std::int64_t pageNumber() const { return cursor ? cursor->position / page.perPage + 1 : page.number; }
};

} // namespace supplierd::orders
