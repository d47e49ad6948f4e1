#include "CatalogIndex.h"

#include "ProductMatcher.h"
#include "RowComparison.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>

namespace supplierd::catalog {

namespace {

constexpr std::int64_t LAST_ID = std::numeric_limits<std::int64_t>::max();

/// Filtered orders take together at most what an order of all products takes.
constexpr std::size_t FILTERED_BYTES_PER_PRODUCT = sizeof(RowNumber);
constexpr std::size_t FILTERED_BYTES_AT_LEAST = std::size_t{64} * 1'024;

/// A filter that shows a smaller part of all sorts what it shows; else the order of all live products is gone through.
constexpr std::size_t SMALL_PART = 16;
/// With a smaller part of a list changed, the changed ones are put in the order of ids; else they are sought among all.
constexpr std::size_t FEW_CHANGED = 1'000;

} // namespace

void CatalogIndex::apply(std::span<const IndexedProduct> products, std::span<const std::int64_t> removedIds,
                         std::int64_t changeSeq, std::int64_t logBegin) {
    const std::unique_lock lock(_mutex);
    auto applied = _columns.apply(products);
    for (const std::int64_t id : removedIds)
        if (const auto row = _columns.remove(id))
            applied.push_back({*row, difference::All});
    _orders.touch(applied);
    _changeSeq = changeSeq;
    _logBegin = logBegin;
}

CatalogIndex::Applied CatalogIndex::apply(const NumbersChange& change, std::int64_t changeSeq, bool mayWait) {
    std::unique_lock lock(_mutex, std::defer_lock);
    if (mayWait)
        lock.lock();
    else if (!lock.try_lock())
        return Applied::Busy;
    const auto applied = _columns.change(change, changeSeq);
    if (!applied)
        return Applied::Impossible;
    _orders.touch(*applied);
    _changeSeq = changeSeq;
    return Applied::Yes;
}

std::int64_t CatalogIndex::changeSeq() const {
    const std::shared_lock lock(_mutex);
    return _changeSeq;
}

std::int64_t CatalogIndex::logBegin() const {
    const std::shared_lock lock(_mutex);
    return _logBegin;
}

std::size_t CatalogIndex::products() const {
    const std::shared_lock lock(_mutex);
    return _columns.rows();
}

std::size_t CatalogIndex::forgotten() const {
    const std::shared_lock lock(_mutex);
    return _columns.removedRows();
}

IndexedPage CatalogIndex::page(const IndexFilter& filter, IndexOrder order, std::size_t offset,
                               std::size_t limit) const {
    return withOrder(filter, order.by,
                     [&](const RowNumbers& rows) { return pageOf(rows, order, std::min(offset, rows.size()), limit); });
}

IndexedPage CatalogIndex::pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                                    std::size_t limit) const {
    return withOrder(filter, order.by, [&](const RowNumbers& rows) {
        const RowComparison comparison(_columns, order.by);
        const std::size_t from = order.descending ? rows.size() - comparison.countBefore(rows, position)
                                                  : comparison.countUpTo(rows, position);
        return pageOf(rows, order, from, limit);
    });
}

IndexedPage CatalogIndex::changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                                       std::int64_t endId, std::size_t limit) const {
    const auto isWanted = [&](RowNumber row) {
        const std::int64_t id = _columns.id(row);
        return id > afterId && id <= endId && _columns.changeSeq(row) > changeSeq;
    };
    const RowComparison byChange(_columns, OrderBy::ChangeSeq);
    const RowComparison byId(_columns, OrderBy::Id);
    // In the order of ids; `total` is that of the whole list.
    const auto pageOfWanted = [&](RowNumbers& wanted, std::size_t total) {
        IndexedPage page;
        page.changeSeq = _changeSeq;
        page.total = static_cast<std::int64_t>(total);
        page.hasMore = wanted.size() > limit;
        wanted.resize(std::min(wanted.size(), limit));
        for (const RowNumber row : wanted)
            add(page, row);
        if (!wanted.empty())
            page.last = byId.positionOf(wanted.back());
        return page;
    };
    const auto ofFew = [&](const RowNumbers& rows) -> std::optional<IndexedPage> {
        const std::size_t first = byChange.countUpTo(rows, {changeSeq, {}, LAST_ID});
        if (rows.size() - first > std::max(FEW_CHANGED, rows.size() / SMALL_PART))
            return std::nullopt;
        RowNumbers wanted;
        std::copy_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), std::back_inserter(wanted),
                     isWanted);
        byId.sort(wanted);
        return pageOfWanted(wanted, rows.size());
    };
    if (auto page = withOrder(filter, OrderBy::ChangeSeq, ofFew))
        return *std::move(page);
    return withOrder(filter, OrderBy::Id, [&](const RowNumbers& rows) {
        RowNumbers wanted;
        for (std::size_t i = byId.countUpTo(rows, {0, {}, afterId});
             i < rows.size() && _columns.id(rows[i]) <= endId && wanted.size() <= limit; ++i)
            if (isWanted(rows[i]))
                wanted.push_back(rows[i]);
        return pageOfWanted(wanted, rows.size());
    });
}

std::int64_t CatalogIndex::countChanges(const IndexFilter& filter, ChangePosition after, std::int64_t endSeq) const {
    return withOrder(filter, OrderBy::ChangeSeq, [&](const RowNumbers& rows) {
        const RowComparison comparison(_columns, OrderBy::ChangeSeq);
        const std::size_t end = comparison.countUpTo(rows, {endSeq, {}, LAST_ID});
        return static_cast<std::int64_t>(end - std::min(end, comparison.countUpTo(rows, {after.seq, {}, after.id})));
    });
}

std::optional<ChangePosition> CatalogIndex::positionBeforeRest(const IndexFilter& filter, std::int64_t firstSeq,
                                                               std::int64_t endSeq, std::int64_t rest) const {
    return withOrder(filter, OrderBy::ChangeSeq, [&](const RowNumbers& rows) -> std::optional<ChangePosition> {
        const RowComparison comparison(_columns, OrderBy::ChangeSeq);
        const std::size_t first = comparison.countUpTo(rows, {firstSeq - 1, {}, LAST_ID});
        const std::size_t end = comparison.countUpTo(rows, {endSeq, {}, LAST_ID});
        if (rest < 0 || first > end || static_cast<std::uint64_t>(rest) >= end - first)
            return std::nullopt;
        const RowNumber row = rows[end - 1 - static_cast<std::size_t>(rest)];
        return ChangePosition{_columns.changeSeq(row), _columns.id(row)};
    });
}

std::int64_t CatalogIndex::greatestId() const {
    const std::shared_lock lock(_mutex);
    return _columns.greatestId();
}

std::optional<std::int64_t> CatalogIndex::changeOf(std::int64_t productId) const {
    const std::shared_lock lock(_mutex);
    const auto row = _columns.find(productId);
    return row && !_columns.isRemoved(*row) ? std::optional(_columns.changeSeq(*row)) : std::nullopt;
}

std::size_t CatalogIndex::bytes() const {
    const std::shared_lock lock(_mutex);
    return sizeof(*this) + _columns.bytes() + _orders.bytes();
}

template <class Use>
std::invoke_result_t<Use, const RowNumbers&> CatalogIndex::withOrder(const IndexFilter& filter, OrderBy by,
                                                                     Use use) const {
    const auto entry = _orders.find(filter, by);
    // Before the shared lock: who waits here for a sort keeps no change out.
    const std::lock_guard orderLock(entry->mutex);
    ReadLock lock(_mutex);
    if (!entry->order.isCurrent())
        bringUpToDate(*entry, filter, by, lock);
    return use(entry->order.rows());
}

void CatalogIndex::bringUpToDate(SortOrderCache::Entry& entry, const IndexFilter& filter, OrderBy by,
                                 ReadLock& lock) const {
    if (entry.order.isBuilt()) {
        entry.order.bringUpToDate(_columns);
        entry.bytes = entry.order.bytes();
        return;
    }
    if (!build(entry, filter, by, lock)) {
        ChunkedScan alone;
        entry.order.beginBuilding(_columns);
        RowNumbers matching = ProductMatcher(_columns, filter).all(alone);
        RowComparison(_columns, by).sort(matching, alone);
        entry.order.endBuilding(_columns, matching);
    }
    entry.bytes = entry.order.bytes();
    _orders.trim(std::max(FILTERED_BYTES_AT_LEAST, _columns.rows() * FILTERED_BYTES_PER_PRODUCT));
}

/// False when so much was changed on the way that it has to be done while nothing is.
bool CatalogIndex::build(SortOrderCache::Entry& entry, const IndexFilter& filter, OrderBy by, ReadLock& lock) const {
    ChunkedScan scan(lock);
    entry.order.beginBuilding(_columns);
    RowNumbers matching = ProductMatcher(_columns, filter).all(scan);
    const bool isLarge = matching.size() > _columns.rows() / SMALL_PART;
    if (isLarge && by != OrderBy::Id && !SortOrderCache::isOfAllLive(filter))
        sortAsLive(matching, by, lock);
    else
        RowComparison(_columns, by).sort(matching, scan);
    return entry.order.endBuilding(_columns, matching);
}

/// Most of them are in the order of all live products by the same key: then nothing but tombstones is sorted.
void CatalogIndex::sortAsLive(RowNumbers& matching, OrderBy by, ReadLock& lock) const {
    const auto live = _orders.find({}, by);
    lock.unlock(); // whoever has this order may be making it, and lets changes in
    const std::lock_guard liveLock(live->mutex);
    lock.lock();
    if (!live->order.isCurrent())
        bringUpToDate(*live, {}, by, lock);
    RowSet wanted(_columns.rows());
    for (const RowNumber row : matching)
        wanted.add(row);
    RowNumbers deleted;
    std::copy_if(matching.begin(), matching.end(), std::back_inserter(deleted),
                 [&](RowNumber row) { return _columns.isDeleted(row); });
    const RowComparison comparison(_columns, by);
    comparison.sort(deleted);
    matching.clear(); // some of them may be gone by now
    std::copy_if(live->order.rows().begin(), live->order.rows().end(), std::back_inserter(matching),
                 [&](RowNumber row) { return wanted.has(row); });
    const auto middle = static_cast<std::ptrdiff_t>(matching.size());
    matching.insert(matching.end(), deleted.begin(), deleted.end());
    std::inplace_merge(matching.begin(), matching.begin() + middle, matching.end(),
                       [&](RowNumber a, RowNumber b) { return comparison.isBefore(a, b); });
}

/// `from` in the list's order.
IndexedPage CatalogIndex::pageOf(const RowNumbers& rows, IndexOrder order, std::size_t from, std::size_t limit) const {
    IndexedPage page;
    page.changeSeq = _changeSeq;
    page.total = static_cast<std::int64_t>(rows.size());
    const std::size_t count = std::min(limit, rows.size() - from);
    page.hasMore = from + count < rows.size();
    page.items.reserve(count);
    const auto rowAt = [&](std::size_t place) { return rows[order.descending ? rows.size() - 1 - place : place]; };
    for (std::size_t i = 0; i < count; ++i)
        add(page, rowAt(from + i));
    if (count > 0)
        page.last = RowComparison(_columns, order.by).positionOf(rowAt(from + count - 1));
    return page;
}

void CatalogIndex::add(IndexedPage& page, RowNumber row) const {
    page.items.push_back({_columns.id(row), _columns.changeSeq(row)});
}

} // namespace supplierd::catalog
