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

    bool isBuilt() const { return _state == State::Built; }
    bool isCurrent() const { return isBuilt() && _touched.empty(); }
    /// From now on it notes which products change, although it has no rows yet.
    void beginBuilding(const ProductColumns& columns);
    /// With the rows that it had when building began, in its order, but for those that were changed since. False when
    /// they are too many for it: then it has to be built again.
    bool endBuilding(const ProductColumns& columns, const RowNumbers& rows);
    void bringUpToDate(const ProductColumns& columns);
    const RowNumbers& rows() const { return _rows; }

    std::size_t bytes() const;

private:
    void takeOutTouched(const ProductColumns& columns);
    void putIn(const ProductColumns& columns, const RowNumbers& rows);

    IndexFilter _filter;
    OrderBy _by;
    unsigned _dependencies;
    enum class State { None, Building, Built };
    State _state = State::None;
    RowNumbers _rows;
    /// Changed since; the same one may be there several times.
    RowNumbers _touched;
    /// So many rows there were when it was last up to date: it cannot have any that came later.
    std::size_t _rowsThen = 0;
};

} // namespace supplierd::catalog
