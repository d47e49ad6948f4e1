#pragma once

#include "index/IndexedProduct.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace supplierd::catalog {

/// Part of a list, as of one number of changes.
struct IndexedPage {
    struct Item {
        std::int64_t id = 0;
        std::int64_t changeSeq = 0;

        friend bool operator==(const Item&, const Item&) = default;
    };

    std::int64_t changeSeq = 0;
    /// Of the whole list.
    std::int64_t total = 0;
    std::vector<Item> items;
    bool hasMore = false;
    /// Of the last item; where there is none, nothing.
    IndexPosition last;
};

/// A place in the order of changes: a change's number, and a product of it.
struct ChangePosition {
    std::int64_t seq = 0;
    std::int64_t id = 0;

    friend bool operator==(const ChangePosition&, const ChangePosition&) = default;
};

/// What every list of one supplier's products is made of: which products, in which order, and how many; what they show
/// is read elsewhere, by the id and the change that a page gives. CatalogIndex has it in memory, DatabaseCatalog
/// asks for it. Errors: DatabaseError, std::bad_alloc.
class CatalogView {
public:
    virtual ~CatalogView() = default;

    /// The number that it shows now.
    virtual std::int64_t changeSeq() const = 0;
    /// The number that the oldest entry of the change log follows, as of that one: products that were deleted under
    /// this number or an earlier one may be gone.
    virtual std::int64_t logBegin() const = 0;

    /// By number: `offset` products of the list come before it.
    virtual IndexedPage page(const IndexFilter& filter, IndexOrder order, std::size_t offset,
                             std::size_t limit) const = 0;
    /// What follows the position in the list's order. `changed_after` is the ascending order by ChangeSeq.
    virtual IndexedPage pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                                  std::size_t limit) const = 0;
    /// Changed since a change, in the order of their ids, those with ids above `afterId`, up to `endId`.
    virtual IndexedPage changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                                     std::int64_t endId, std::size_t limit) const = 0;
    /// How many products come behind the position in the order of changes, up to the end of the change `endSeq`.
    virtual std::int64_t countChanges(const IndexFilter& filter, ChangePosition after, std::int64_t endSeq) const = 0;
    /// The position that `rest` products of the changes from `firstSeq` to `endSeq` come behind; nothing when these
    /// have no more than that.
    virtual std::optional<ChangePosition> positionBeforeRest(const IndexFilter& filter, std::int64_t firstSeq,
                                                             std::int64_t endSeq, std::int64_t rest) const = 0;
    /// Tombstones included; 0 when there are no products.
    virtual std::int64_t greatestId() const = 0;
};

} // namespace supplierd::catalog
