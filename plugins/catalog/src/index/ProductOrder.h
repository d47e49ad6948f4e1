#pragma once

#include "ProductColumns.h"

#include <cstddef>

namespace supplierd::catalog {

/// The products of one filter in one order, ascending; a descending list reads it from its end, since equal keys turn
/// round with it. A change only notes which products it touched. The next reader takes those out in one pass and puts
/// them where they belong now: 500 of a million cost 2 ms, and nothing when nobody reads.
///
/// Thread: one at a time.
class ProductOrder {
public:
    ProductOrder(const IndexFilter& filter, OrderBy by);

    /// A product changed; not beside a reader of the columns.
    void touch(RowNumber row, unsigned differences);

    bool isBuilt() const { return _isBuilt; }
    bool isCurrent() const { return _isBuilt && _touched.empty(); }
    /// `matching`: what ProductMatcher::all() gives. `live`: the order of all live products by the same key, up to
    /// date, where it is at hand: then nothing but tombstones is sorted.
    void build(const ProductColumns& columns, RowNumbers matching, const ProductOrder* live);
    void bringUpToDate(const ProductColumns& columns);
    const RowNumbers& rows() const { return _rows; }

    std::size_t bytes() const;

private:
    void takeOutTouched(const ProductColumns& columns);
    void putIn(const ProductColumns& columns, const RowNumbers& rows);

    IndexFilter _filter;
    OrderBy _by;
    unsigned _dependencies;
    bool _isBuilt = false;
    RowNumbers _rows;
    /// Changed since; the same one may be there several times.
    RowNumbers _touched;
    /// So many rows there were when it was last up to date: it cannot have any that came later.
    std::size_t _rowsThen = 0;
};

} // namespace supplierd::catalog
