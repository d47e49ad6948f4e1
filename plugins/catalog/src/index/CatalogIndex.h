#pragma once

#include "CatalogView.h"
#include "ProductColumns.h"
#include "SortOrderCache.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <type_traits>
#include <vector>

namespace supplierd::catalog {

/// The products of one supplier in memory, from which every list is answered: which products, in which order, and how
/// many. It holds what lists filter, sort and search by; what a product shows is read elsewhere, by the id and the
/// change that a page gives.
///
/// Thread: any. Readers share a lock that apply() takes alone, and so hold for as long as a page takes: microseconds.
/// Who makes a list's order for the first time, by a pass over the texts and a sort, lets changes in meanwhile; the
/// order notes them and puts them right at its end. Copies for each change were weighed against a lock: 500 changed
/// stocks of a million products lie in nearly as many blocks of every column and order, so that a copy of what changes
/// would be megabytes for each bulk request; and they would spare readers nothing, since no request may be answered
/// from before the change that it waits for. For that reason nor can readers keep a writer out: those that come after
/// a change wait for it before they read.
/// Orders are brought up to date by the first reader that asks for them, others of the same order wait for it.
///
/// Errors: std::bad_alloc. After an exception from apply() the index is of no use and is dropped.
class CatalogIndex final : public CatalogView {
public:
    /// Before the first apply(), when it is known how many products come. Not beside anything else.
    void reserve(std::size_t products) { _columns.reserve(products); }
    /// Adds and changes products (each at most once), and forgets those that the database no longer has; then the index
    /// is as of `changeSeq`, when the change log began at `logBegin`. Loading is cheapest in the order of ids, some
    /// thousand at a time.
    void apply(std::span<const IndexedProduct> products, std::span<const std::int64_t> removedIds,
               std::int64_t changeSeq, std::int64_t logBegin = 0);

    enum class Applied { Yes, Impossible, Busy };
    /// Changes numbers of products; then the index is as of `changeSeq`, the number after its own. Impossible, and
    /// nothing is changed, unless all of them are live products that are there. Busy: somebody reads it, and `mayWait`
    /// is not set.
    Applied apply(const NumbersChange& change, std::int64_t changeSeq, bool mayWait);

    std::int64_t changeSeq() const override;
    std::int64_t logBegin() const override;
    /// Tombstones included, and those that it forgot, which take memory all the same.
    std::size_t products() const;
    /// So many of them it forgot.
    std::size_t forgotten() const;

    /// By number: `offset` products of the list come before it.
    IndexedPage page(const IndexFilter& filter, IndexOrder order, std::size_t offset, std::size_t limit) const override;
    /// What follows the position in the list's order. `changed_after` is the ascending order by ChangeSeq.
    IndexedPage pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                          std::size_t limit) const override;
    /// Changed since a change, in the order of their ids, those with ids above `afterId`, up to `endId`.
    IndexedPage changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                             std::int64_t endId, std::size_t limit) const override;
    /// How many products come behind the position in the order of changes, up to the end of the change `endSeq`.
    std::int64_t countChanges(const IndexFilter& filter, ChangePosition after, std::int64_t endSeq) const override;
    /// The position that `rest` products of the changes from `firstSeq` to `endSeq` come behind; nothing when these
    /// have no more than that.
    std::optional<ChangePosition> positionBeforeRest(const IndexFilter& filter, std::int64_t firstSeq,
                                                     std::int64_t endSeq, std::int64_t rest) const override;
    /// Tombstones included; 0 when there are no products.
    std::int64_t greatestId() const override;

    /// The last change of a product, tombstones included; nothing when there is none of that id, or it was forgotten.
    std::optional<std::int64_t> changeOf(std::int64_t productId) const;

    /// What it takes in memory, with all orders that it keeps.
    std::size_t bytes() const;

private:
    using ReadLock = std::shared_lock<std::shared_mutex>;

    /// Calls use(rows) with the rows of the list, ascending, and within the shared lock.
    template <class Use>
    std::invoke_result_t<Use, const RowNumbers&> withOrder(const IndexFilter& filter, OrderBy by, Use use) const;
    /// With the order's mutex and the shared lock; releases the latter on the way and has it again at its end.
    void bringUpToDate(SortOrderCache::Entry& entry, const IndexFilter& filter, OrderBy by, ReadLock& lock) const;
    bool build(SortOrderCache::Entry& entry, const IndexFilter& filter, OrderBy by, ReadLock& lock) const;
    void sortAsLive(RowNumbers& matching, OrderBy by, ReadLock& lock) const;
    IndexedPage pageOf(const RowNumbers& rows, IndexOrder order, std::size_t from, std::size_t limit) const;
    void add(IndexedPage& page, RowNumber row) const;

    mutable std::shared_mutex _mutex;
    ProductColumns _columns;
    std::int64_t _changeSeq = 0;
    std::int64_t _logBegin = 0;
    mutable SortOrderCache _orders;
};

} // namespace supplierd::catalog
