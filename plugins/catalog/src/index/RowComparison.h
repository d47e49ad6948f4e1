#pragma once

#include "ChunkedScan.h"
#include "ProductColumns.h"

#include <cstddef>

namespace supplierd::catalog {

/// One order of products, ascending: by a key, and by id where that is equal. Names compare as their collation does.
/// Refers to the columns; thread: any.
class RowComparison {
public:
    RowComparison(const ProductColumns& columns, OrderBy by) : _columns(columns), _by(by) {}

    bool isBefore(RowNumber a, RowNumber b) const;
    void sort(RowNumbers& rows) const;
    /// Those that others change meanwhile lie by the keys that they had at some time of it.
    void sort(RowNumbers& rows, ChunkedScan& scan) const;
    /// How many of the rows, which are in this order, come before the position.
    std::size_t countBefore(const RowNumbers& rows, const IndexPosition& position) const;
    /// Those at the position included.
    std::size_t countUpTo(const RowNumbers& rows, const IndexPosition& position) const;
    IndexPosition positionOf(RowNumber row) const;

private:
    template <class IsBefore>
    std::size_t count(const RowNumbers& rows, const IndexPosition& position, IsBefore isBefore) const;

    const ProductColumns& _columns;
    OrderBy _by;
};

} // namespace supplierd::catalog
