#pragma once

#include "PlatformListQuery.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// SQL of the platform's product list: constant fragments chosen by the filters, every value bound. The ids of a page
/// are found in an index alone, newest first; totals are sums over the suppliers' counters.
class PlatformListStatement {
public:
    /// The columns of a page after those of writeListFields().
    enum Column : std::size_t { ApprovalReason = 13, SupplierId, SupplierName, Total };

    struct Window {
        std::int64_t limit = 20;
        std::int64_t offset = 0;
        /// Counted from the list's end; the rows still come in the list's order.
        bool fromEnd = false;
        /// Only products with a smaller id.
        std::optional<std::int64_t> before = std::nullopt;
    };

    static PlatformListStatement page(const PlatformListQuery& query, const Window& window);
    /// One row with one column, the list's total.
    static PlatformListStatement total(const PlatformListQuery& query);

    const std::string& sql() const { return _sql; }
    SqlParams params() const { return _params; }

private:
    void appendTotal(const PlatformListQuery& query);
    void appendSource(const PlatformListQuery& query);

    std::string _sql;
    std::vector<SqlParam> _params;
};

} // namespace supplierd::catalog
