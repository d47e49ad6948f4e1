#pragma once

#include "OrderStatus.h"

#include <supplierd/Database.h>
#include <supplierd/ListPage.h>
#include <supplierd/SandboxFilter.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::orders {

/// Which order groups a list shows. Values go into statements as parameters only.
struct ListFilters {
    /// Nothing: those of every supplier, for the platform.
    std::optional<std::int64_t> supplierId;
    std::optional<OrderStatus> status;
    std::optional<std::string> createdFrom; ///< UTC, as a DATETIME(6) text, like the others
    std::optional<std::string> createdTo;   ///< with its whole second
    std::optional<std::string> updatedSince;
    std::optional<std::string> search; ///< a pattern of LIKE
    SandboxFilter sandbox;             ///< of every supplier's

    /// `supplierId` nothing: of every supplier, or of the one that the query names. Collects every problem.
    static ListFilters read(QueryReader& reader, const std::optional<std::int64_t>& supplierId);

    bool hasCreation() const { return createdFrom || createdTo; }
    /// No counter knows how many groups match: they are counted.
    bool isCounted() const { return hasCreation() || updatedSince || search; }
    /// The list is walked in the order (created_at, id) instead of id. Both are newest first.
    bool isByCreation() const { return hasCreation() && !updatedSince && !status; }
    ListRules rules() const;
};

/// In the order of changes: a change's number, and the last order group of it that was reported.
struct ChangePosition {
    /// Instead of an id: all of the change was reported.
    static constexpr std::int64_t WHOLE = std::numeric_limits<std::int64_t>::max();

    std::int64_t seq = 0;
    std::int64_t id = WHOLE;
};

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
    ChangeSeq,                  ///< of a list of changes
    Committed = SupplierId + 1, ///< of any other list of one supplier: the number of his last change
    OrdersChanged               ///< and that of his last change of an order group
};
} // namespace column

/// A statement of a list, made of constant pieces, with its parameters. Every piece forces the index that it needs, and
/// a page that cannot be walked to finds its ids in a narrow index first. Lifetime: not longer than the filters'.
class ListStatement {
public:
    /// How many groups match is in every row, if the window needs it; else 0.
    static ListStatement page(const ListFilters& filters, const ListWindow& window);
    /// One row with how many groups match; of one supplier's list, then the numbers of his last change and of that of
    /// an order group.
    static ListStatement total(const ListFilters& filters);
    /// One row with those two numbers.
    static ListStatement state(const ListFilters& filters);

    /// For one supplier's lists of changes: the number of his last change, and how many groups match.
    static ListStatement changesHead(const ListFilters& filters);
    /// The groups whose last change is behind that place, in the order of changes.
    static ListStatement changes(const ListFilters& filters, const ChangePosition& after, std::int64_t limit);
    /// One row with how many groups of the change are behind that one.
    static ListStatement restOfChange(const ListFilters& filters, const ChangePosition& last);
    /// The group of the change behind which there are so many; no row when there are no more than those.
    static ListStatement lastBeforeRest(const ListFilters& filters, std::int64_t seq, std::int64_t rest);

    const std::string& sql() const { return _sql; }
    const std::vector<SqlParam>& params() const { return _params; }

private:
    explicit ListStatement(const ListFilters& filters) : _filters(filters) {}

    template <class... Values>
    void add(std::string_view piece, const Values&... values) {
        _sql += piece;
        (_params.emplace_back(values), ...);
    }

    void appendDirect(const ListWindow& window);
    void appendIds(const ListWindow& window);
    /// `many`: of what the filters let through; nothing: all of it is read, in whichever order.
    void appendSource(std::optional<bool> many);
    void appendSourceOfAll(std::size_t index);
    void appendChanges();
    void appendFilters();
    void appendAfter(const ListCursor& cursor);
    void appendMatches();
    void appendState();

    const ListFilters& _filters;
    std::string _sql;
    std::vector<SqlParam> _params;
};

} // namespace supplierd::orders
