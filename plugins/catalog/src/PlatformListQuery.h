#pragma once

#include "list/Cursor.h"

#include <supplierd/Query.h>

#include <cstdint>
#include <optional>

namespace supplierd::catalog {

/// The query of the platform's product list, checked. The list is always newest first.
struct PlatformListQuery {
    Page page;
    std::optional<std::int64_t> state;
    std::optional<std::int64_t> supplierId;
    std::optional<Cursor> cursor;

    /// What ties a cursor to the list it came from.
    std::uint64_t fingerprint() const;

    /// Throws ApiError (Validation) with every problem of the query.
    static PlatformListQuery read(const QueryParameters& parameters);
};

} // namespace supplierd::catalog
