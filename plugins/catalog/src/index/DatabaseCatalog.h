#pragma once

#include "index/CatalogView.h"
#include "list/ListQuery.h"

#include <supplierd/Database.h>
#include <supplierd/services/ChangeLog.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// A supplier's products as one snapshot has them, for lists that memory cannot answer: right, and for all but the
/// plain list slow, since no index follows what lists sort and filter by. Thread: one. Lifetime: the snapshot's.
class DatabaseCatalog final : public CatalogView {
public:
    DatabaseCatalog(SqlSession& snapshot, ChangeLog& changes, std::int64_t supplierId, const ListFilters& filters);

    std::int64_t changeSeq() const override { return _changes.committed; }
    std::int64_t logBegin() const override { return _changes.removedUpTo; }
    IndexedPage page(const IndexFilter& filter, IndexOrder order, std::size_t offset, std::size_t limit) const override;
    IndexedPage pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                          std::size_t limit) const override;
    IndexedPage changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                             std::int64_t endId, std::size_t limit) const override;
    std::int64_t countChanges(const IndexFilter& filter, ChangePosition after, std::int64_t endSeq) const override;
    std::optional<ChangePosition> positionBeforeRest(const IndexFilter& filter, std::int64_t firstSeq,
                                                     std::int64_t endSeq, std::int64_t rest) const override;
    std::int64_t greatestId() const override;

private:
    struct Statement {
        std::string sql;
        std::vector<SqlParam> params; ///< they refer to texts that live elsewhere
        std::deque<std::string> texts = {};

        template <class... Values>
        Statement& add(std::string_view fragment, const Values&... values) {
            sql += fragment;
            (params.emplace_back(values), ...);
            return *this;
        }
    };

    Statement select(std::string_view columns, const IndexFilter& filter) const;
    static void addSearch(Statement& statement, const std::vector<std::string>& weights);
    IndexedPage read(const Statement& statement, const IndexFilter& filter, OrderBy by, std::size_t limit) const;
    std::int64_t readNumber(const Statement& statement) const;

    SqlSession& _snapshot;
    std::int64_t _supplierId;
    const ListFilters& _filters;
    std::string _skuKeys; ///< as a JSON array
    ChangePage _changes;  ///< none, but what the supplier's number is, and where the log begins
};

} // namespace supplierd::catalog
