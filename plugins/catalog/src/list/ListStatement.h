#pragma once

#include "ListFragments.h"
#include "ListQuery.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// The columns of every list statement.
namespace column {
enum : std::size_t {
    Id,
    CategoryId,
    StockQty,
    MinOrderQty,
    Type,
    Unit,
    IsActive,
    Approval,
    BasePrice,
    Name,
    Sku,
    CategoryName,
    PrimaryImage,
    ChangeSeq,    ///< supplier_state's
    Total,        ///< of the list, not of the page
    RowChangeSeq, ///< from here on not in the statement of the plain first page
    DeletedAt,
    UpdatedAtText
};
} // namespace column

/// Which part of a list a statement fetches.
struct ListWindow {
    std::int64_t limit = 20;
    std::int64_t offset = 0;
    /// Counted from the list's end; the rows still come in the list's order.
    bool fromEnd = false;
    /// Where a walk in list order goes on; null for a page by number.
    const Cursor* after = nullptr;
    /// So few products match that sorting them beats following the sort's index to find them.
    bool few = false;
    /// So many that following the sort's index meets them soon, where they would be sought by a pass over all.
    bool many = false;
};

/// Products changed after the position (seq, id), up to the change `lastSeq`.
struct ChangeWindow {
    std::int64_t limit = 20;
    std::int64_t seq = 0;
    std::int64_t id = 0;
    std::int64_t lastSeq = 0;
};

/// Products changed since the change `startSeq`, in the order of their ids, those between two ids.
struct LateWindow {
    std::int64_t limit = 20;
    std::int64_t startSeq = 0;
    std::int64_t afterId = 0;
    std::int64_t lastId = 0;
    /// So many that a page meets its products soon among all, where they would be sought by a pass over all changes.
    bool many = false;
};

/// How the column Total comes about.
enum class Totals {
    Known, ///< 0: the caller knows it
    Counters,
    Window, ///< counted in the pass that finds the page; nothing is known when the page comes back empty
    Counted ///< by a pass of its own
};

/// SQL of a list and its parameters: constant fragments chosen by filter and sort, every value bound. Each fragment
/// forces the index that it was written for; what is read beside the page's rows is read from indexes only.
/// Lifetime: parameters point into the query, which outlives the statement.
class ListStatement {
public:
    static ListStatement page(std::int64_t supplierId, const ListQuery& query, const ListWindow& window, Totals totals);
    static ListStatement changes(std::int64_t supplierId, const ListQuery& query, const ChangeWindow& window,
                                 Totals totals);
    /// One row: how many products `changes` has in all.
    static ListStatement changesCount(std::int64_t supplierId, const ListQuery& query, const ChangeWindow& window);
    /// At most one row: the id that so many of `changes` come behind.
    static ListStatement changesBefore(std::int64_t supplierId, const ListQuery& query, const ChangeWindow& window,
                                       std::int64_t rest);
    static ListStatement lateChanges(std::int64_t supplierId, const ListQuery& query, const LateWindow& window,
                                     Totals totals);
    /// One row: the newest product's id, and how many products changed since, counted no further than `countTo`.
    static ListStatement lateChangesEnd(std::int64_t supplierId, const ListQuery& query, std::int64_t startSeq,
                                        std::int64_t countTo);
    /// One row: supplier_state.change_seq and the list's total.
    static ListStatement head(std::int64_t supplierId, const ListQuery& query, Totals totals);

    const std::string& sql() const { return _sql; }
    SqlParams params() const { return _params; }

private:
    enum class Half { Live, Deleted };

    ListStatement(std::int64_t supplierId, const ListQuery& query);

    bool isDirect(const ListWindow& window) const;
    void appendDirect(const ListWindow& window);
    void appendRowsOfPage();
    void appendPageIds(const ListWindow& window, bool countMatches);
    void appendHalf(Half half, const ListWindow& window, bool countMatches);
    void appendSource(Half half, bool anyOrder);
    fragment::Index indexFor(Half half, bool byId) const;
    void appendFilters(Half half);
    void appendFiltersButState();
    void appendSkuChanges(Half half, const ChangeWindow& window);
    void appendChangeIds(const ChangeWindow& window);
    void appendLateHalf(Half half, const LateWindow& window);
    void appendAfter(const Cursor& cursor);
    void appendTotal(Totals totals);
    void appendCounters();
    void appendCount();
    void appendStates();
    void appendSkuList();

    void add(std::string_view fragment) { _sql += fragment; }
    template <class... Values>
    void add(std::string_view fragment, const Values&... values) {
        _sql += fragment;
        (_params.emplace_back(values), ...);
    }

    std::int64_t _supplierId;
    const ListFilters& _filters;
    ListSort _sort;
    bool _few = false;
    bool _many = false;
    std::string _sql;
    std::vector<SqlParam> _params;
};

} // namespace supplierd::catalog
