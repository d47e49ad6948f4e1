#pragma once

#include "stock/BulkItem.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace supplierd::catalog {

/// A resolved item is a product or a variant, with its stock or its price.
struct ResolvedItem {
    std::int64_t productId = 0;
    std::int64_t variantId = 0; ///< 0: the product itself
    Amount before;
    Amount amount;   ///< what it is to be
    std::string sku; ///< as it stands in the catalog, when an item names it by its SKU; "": none does

    std::int64_t id() const { return variantId != 0 ? variantId : productId; }
    bool isVariant() const { return variantId != 0; }
    bool isChanged() const { return amount != before; }
};

using ResolvedList = std::vector<const ResolvedItem*>;

/// The value of a column that holds amounts of the subject.
Amount amountIn(const Rows& rows, std::size_t column, Subject subject);

/// What the items of a request name, all as it was at one moment. Each product and each variant is there once, however
/// many items name it; the product of a variant is there too. The items outlive it.
class ResolvedItems {
public:
    /// Reads with one statement, whatever the number of items.
    ResolvedItems(SqlSession& session, std::int64_t supplierId, Subject subject, std::span<const BulkItem> items);

    /// The number of the catalog's last change then.
    std::int64_t changeSeq() const { return _changeSeq; }
    /// What the item at that place of the span names; null when there is none such.
    ResolvedItem* of(std::size_t place) { return _byPlace[place]; }

    /// All products that are there; in id order, like the following.
    ResolvedList products() const;
    /// The products to be written, those of changed variants included, and the changed variants.
    ResolvedList changedProducts() const;
    ResolvedList changedVariants() const;

private:
    using ById = std::unordered_map<std::int64_t, ResolvedItem*>;

    ResolvedItem* keep(ById& known, const ResolvedItem& resolved);

    std::int64_t _changeSeq = 0;
    std::deque<ResolvedItem> _resolved;
    ById _products;
    ById _variants;
    std::vector<ResolvedItem*> _byPlace;
};

} // namespace supplierd::catalog
