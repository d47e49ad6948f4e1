#pragma once

#include "ChunkedScan.h"
#include "ProductColumns.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace supplierd::catalog {

/// Tells which products a filter shows. Made for one moment: it refers to the columns, and knows the categories and
/// characters that they have now.
class ProductMatcher {
public:
    ProductMatcher(const ProductColumns& columns, const IndexFilter& filter);

    bool matches(RowNumber row) const;
    /// In the order of rows: one pass over what the filter looks at, of all rows that there are when it begins. Of
    /// those that others change meanwhile it is open whether they are there.
    RowNumbers all(ChunkedScan& scan) const;

private:
    bool matchesButTexts(RowNumber row) const;
    bool hasTerm(RowNumber row) const;

    const ProductColumns& _columns;
    std::optional<ProductColumns::TraitTest> _live;
    std::optional<ProductColumns::TraitTest> _deleted;
    std::optional<std::int64_t> _updatedSince;
    /// One of them is sought. Empty where every text has it.
    std::vector<ProductTexts::Term> _terms;
    /// In ascending order.
    std::vector<std::uint64_t> _skuHashes;
};

/// The bits of `difference` that tell whether a product still matches.
unsigned dependencies(const IndexFilter& filter);

} // namespace supplierd::catalog
