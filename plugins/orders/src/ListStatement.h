#pragma once

#include "ListQuery.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::orders {

/// The columns of a page's rows.
namespace column {
enum : std::size_t {
    Id,
    OrderNumber,
    Status,
    Currency,
    Subtotal,
    VatTotal,
    Total,
    ItemsCount,
    CustomerName,
    CreatedAt,
    UpdatedAt,
    Matches,
    SupplierId,
    SupplierName ///< in the platform's lists only
};
} // namespace column

/// Which rows of a list.
struct ListWindow {
    std::int64_t limit = 20;
    std::int64_t offset = 0;
    /// Only what comes after it.
    const ListCursor* after = nullptr;
    /// `offset` counts from the list's end. The rows come in the list's order all the same.
    bool fromEnd = false;
};

/// A statement of a list, made of constant pieces, with its parameters. Every piece forces the index that it needs, and
/// a page that cannot be walked to finds its ids in a narrow index first. Lifetime: not longer than the query's.
class ListStatement {
public:
    enum class Matches {
        Told,  ///< how many groups match is in every row
        Known, ///< the caller knows already; the rows have 0
    };

    static ListStatement page(const ListQuery& query, const ListWindow& window, Matches matches, bool withSupplier);
    /// One row with how many groups match.
    static ListStatement total(const ListQuery& query);

    const std::string& sql() const { return _sql; }
    const std::vector<SqlParam>& params() const { return _params; }

private:
    explicit ListStatement(const ListFilters& filters) : _filters(filters) {}

    template <class... Values>
    void add(std::string_view piece, const Values&... values) {
        _sql += piece;
        (_params.emplace_back(values), ...);
    }

    void appendDirect(const ListWindow& window, Matches matches);
    void appendIds(const ListWindow& window);
    void appendSource(bool many);
    void appendAfter(const ListCursor& cursor);
    void appendMatches(Matches matches);

    const ListFilters& _filters;
    std::string _sql;
    std::vector<SqlParam> _params;
};

} // namespace supplierd::orders
