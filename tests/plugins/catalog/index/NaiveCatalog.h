#pragma once

#include "index/CatalogIndex.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

/// What CatalogIndex does, without an index: every list is filtered and sorted anew. Answers of whole servers are
/// compared with it, too (tests/system/catalog).
class NaiveCatalog {
public:
    void apply(std::span<const catalog::IndexedProduct> products, std::span<const std::int64_t> removedIds,
               std::int64_t changeSeq);

    catalog::IndexedPage page(const catalog::IndexFilter& filter, catalog::IndexOrder order, std::size_t offset,
                              std::size_t limit) const;
    catalog::IndexedPage pageAfter(const catalog::IndexFilter& filter, catalog::IndexOrder order,
                                   const catalog::IndexPosition& position, std::size_t limit) const;
    catalog::IndexedPage changedSince(const catalog::IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                                      std::int64_t endId, std::size_t limit) const;
    std::int64_t countChanges(const catalog::IndexFilter& filter, catalog::ChangePosition after,
                              std::int64_t endSeq) const;
    std::optional<catalog::ChangePosition> positionBeforeRest(const catalog::IndexFilter& filter, std::int64_t firstSeq,
                                                              std::int64_t endSeq, std::int64_t rest) const;
    const std::map<std::int64_t, catalog::IndexedProduct>& products() const { return _products; }

private:
    using Products = std::vector<const catalog::IndexedProduct*>;

    Products list(const catalog::IndexFilter& filter, catalog::IndexOrder order) const;
    catalog::IndexedPage cut(const Products& all, std::size_t from, std::size_t limit, catalog::OrderBy by) const;

    std::map<std::int64_t, catalog::IndexedProduct> _products;
    std::int64_t _changeSeq = 0;
};

/// Below 0, 0 or above it, as utf8mb4_unicode_520_ci compares what has these WEIGHT_STRINGs.
int compareWeights(std::string_view a, std::string_view b);
/// Whether the characters of `term` lie in `text`, one behind the other.
bool containsWeights(std::string_view text, std::string_view term);

/// A WEIGHT_STRING of these weights.
std::string weightString(std::initializer_list<std::uint32_t> weights);

/// Fails unless both are the same.
void requireSame(const std::string& what, const catalog::IndexedPage& expected, const catalog::IndexedPage& actual);

} // namespace supplierd::tests
