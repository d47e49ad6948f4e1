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

/// What every list of one supplier's products is made of: which products, in which order, and how many; what they show
/// is read elsewhere, by the id and the change that a page gives. CatalogueIndex has it in memory, DatabaseCatalogue
/// asks for it. Errors: DatabaseError, std::bad_alloc.
class CatalogueView {
public:
    virtual ~CatalogueView() = default;

    /// The number that it shows now.
    virtual std::int64_t changeSeq() const = 0;

    /// By number: `offset` products of the list come before it.
    virtual IndexedPage page(const IndexFilter& filter, IndexOrder order, std::size_t offset,
                             std::size_t limit) const = 0;
    /// What follows the position in the list's order. `changed_after` is the ascending order by ChangeSeq.
    virtual IndexedPage pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                                  std::size_t limit) const = 0;
    /// Changed since a change, in the order of their ids, those with ids above `afterId`, up to `endId`.
    virtual IndexedPage changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                                     std::int64_t endId, std::size_t limit) const = 0;
    /// How many products the change has with ids above `afterId`.
    virtual std::int64_t countInChange(const IndexFilter& filter, std::int64_t changeSeq,
                                       std::int64_t afterId) const = 0;
    /// The id in the change that `rest` products of it come behind; nothing when it has no more than these.
    virtual std::optional<std::int64_t> idBeforeRest(const IndexFilter& filter, std::int64_t changeSeq,
                                                     std::int64_t rest) const = 0;
    /// Tombstones included; 0 when there are no products.
    virtual std::int64_t greatestId() const = 0;
};

} // namespace supplierd::catalog
