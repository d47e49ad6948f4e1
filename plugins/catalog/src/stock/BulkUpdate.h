#pragma once

#include "stock/BulkItem.h"
#include "stock/ResolvedItems.h"
#include "stock/SkuCache.h"
#include "stock/UnchangedPushes.h"

#include <supplierd/Database.h>
#include <supplierd/services/Stock.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

class CatalogCache;
class PlainItems;

/// Sets the stocks or prices of many products and variants (Stock::setStocks).
///
/// All writers of the supplier wait for the catalog's lock, so as much as can be is done before it is taken. Plain
/// values of products are set without a look at what they were, on the condition that all those products are there and
/// have the SKUs by which they are named; a supplier whose last request changed little is looked at first. For anything
/// else the items are looked up: what was read is still so under the lock when nobody has changed the catalog in
/// between, which its number tells; otherwise it is read again. Where nothing turns out to be changed, there is no
/// change. Made per transaction; the items outlive it.
class BulkUpdate {
public:
    /// What is remembered from one request to the next.
    struct Hints {
        SkuCache skus;
        UnchangedPushes unchanged;
    };

    /// `indexes` are told what is changed; may be null.
    BulkUpdate(Transaction& transaction, std::int64_t supplierId, Subject subject, std::span<const BulkItem> items,
               Hints& hints, CatalogCache* indexes)
        : _transaction(transaction),
          _supplierId(supplierId),
          _subject(subject),
          _items(items),
          _hints(hints),
          _indexes(indexes) {}

    BulkResult run();

private:
    using Ids = std::vector<std::int64_t>;
    /// What the products have, compared with what they are to have.
    struct Comparison {
        std::size_t present = 0; ///< live, and with their SKUs
        std::size_t same = 0;    ///< of those: with their values already
        Ids stamped;             ///< with the number that was asked for
        std::int64_t changeSeq = 0;
    };

    BulkResult set(const PlainItems& plain);
    BulkResult change();
    /// Reads and writes with the catalog's lock held.
    /// `set`: these have been set already, by the same change.
    BulkResult changeLocked(Change& change, Ids set);
    Comparison compare(const ResolvedList& products, std::int64_t stamp) const;
    /// Notes what was changed; nothing: there is no change.
    void finish(BulkResult& result, Change& change, const Ids& changed) const;
    /// One statement has set these, and nothing else.
    void finish(BulkResult& result, Change& change, const ResolvedList& changed) const;
    static bool isChange(BulkResult& result, Change& change, std::size_t changed);
    std::string_view kind() const;
    /// Carries out all items on what they resolve to, in order. Returns what is wrong with which of them.
    std::vector<ItemResult> apply(ResolvedItems& resolved) const;

    Transaction& _transaction;
    const std::int64_t _supplierId;
    const Subject _subject;
    const std::span<const BulkItem> _items;
    Hints& _hints;
    CatalogCache* const _indexes;
};

} // namespace supplierd::catalog
