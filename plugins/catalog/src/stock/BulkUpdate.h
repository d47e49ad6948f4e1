#pragma once

#include "stock/BulkItem.h"
#include "stock/SkuCache.h"
#include "stock/Targets.h"

#include <supplierd/Database.h>
#include <supplierd/services/ProductStock.h>

#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::catalog {

class NamedProducts;

/// Sets the stocks or prices of many products and variants (ProductStock::setStocks).
///
/// All writers of the supplier wait for the catalogue's lock, so as much as can be is done before it is taken. Plain
/// values of products are set without a look at what they were, on the condition that all those products are there and
/// have the SKUs by which they are named. For anything else the items are looked up: what was read is still so under
/// the lock when nobody has changed the catalogue in between, which its number tells; otherwise it is read again. Made
/// per transaction; the items outlive it.
class BulkUpdate {
public:
    BulkUpdate(Transaction& transaction, std::int64_t supplierId, Subject subject, std::span<const BulkItem> items,
               SkuCache& skus)
        : _transaction(transaction), _supplierId(supplierId), _subject(subject), _items(items), _skus(skus) {}

    BulkResult run();

private:
    BulkResult set(const NamedProducts& named);
    BulkResult change();
    /// Reads and writes with the catalogue's lock held.
    /// `areSomeSet`: some of the products have their values already, by the same change.
    BulkResult changeLocked(Change& change, bool areSomeSet);
    void note(Change& change, const TargetList& products) const;
    /// Carries out all items on the targets, in order. Returns what is wrong with which of them.
    std::vector<ItemResult> apply(Targets& targets) const;

    Transaction& _transaction;
    const std::int64_t _supplierId;
    const Subject _subject;
    const std::span<const BulkItem> _items;
    SkuCache& _skus;
};

} // namespace supplierd::catalog
