#include "ProductOrder.h"

#include "ColumnMemory.h"
#include "ProductMatcher.h"
#include "RowComparison.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace supplierd::catalog {

namespace {

/// With so large a part of them touched, or so few in all, sorting them again is as fast.
constexpr std::size_t TOUCHED_PART = 8;
constexpr std::size_t TOUCHED_AT_LEAST = 64;

unsigned dependency(OrderBy by) {
    // The id of a product never changes.
    constexpr std::array<unsigned, 6> KEYS{
        0, difference::Name, difference::BasePrice, difference::StockQty, difference::UpdatedAt, difference::ChangeSeq};
    return KEYS[static_cast<std::size_t>(by)];
}

} // namespace

ProductOrder::ProductOrder(const IndexFilter& filter, OrderBy by)
    : _filter(filter), _by(by), _dependencies(dependencies(filter) | dependency(by)) {}

void ProductOrder::touch(RowNumber row, unsigned differences) {
    if (_state == State::None || (differences & _dependencies) == 0)
        return;
    const std::size_t rows = isBuilt() ? _rows.size() : _rowsThen;
    if (_touched.size() < std::max(TOUCHED_AT_LEAST, rows / TOUCHED_PART)) {
        makeRoom(_touched, 1);
        _touched.push_back(row);
        return;
    }
    _state = State::None;
    RowNumbers().swap(_rows);
    RowNumbers().swap(_touched);
}

void ProductOrder::beginBuilding(const ProductColumns& columns) {
    RowNumbers().swap(_rows);
    _touched.clear();
    _rowsThen = columns.rows();
    _state = State::Building;
}

bool ProductOrder::endBuilding(const ProductColumns& columns, const RowNumbers& rows) {
    if (_state != State::Building)
        return false;
    _rows = RowNumbers(rows);
    _state = State::Built;
    if (!_touched.empty())
        bringUpToDate(columns);
    return true;
}

void ProductOrder::bringUpToDate(const ProductColumns& columns) {
    // It is built again if memory runs out on the way.
    _state = State::None;
    std::sort(_touched.begin(), _touched.end());
    _touched.erase(std::unique(_touched.begin(), _touched.end()), _touched.end());
    if (!_touched.empty() && _touched.front() < _rowsThen)
        takeOutTouched(columns);
    const ProductMatcher matcher(columns, _filter);
    std::erase_if(_touched, [&](RowNumber row) { return !matcher.matches(row); });
    RowComparison(columns, _by).sort(_touched);
    putIn(columns, _touched);
    RowNumbers().swap(_touched);
    _rowsThen = columns.rows();
    _state = State::Built;
}

void ProductOrder::takeOutTouched(const ProductColumns& columns) {
    RowSet touched(columns.rows());
    for (const RowNumber row : _touched)
        touched.add(row);
    // Without a branch: a pass over a million rows takes less than a millisecond.
    std::size_t kept = 0;
    for (const RowNumber row : _rows) {
        _rows[kept] = row;
        kept += touched.has(row) ? 0 : 1;
    }
    _rows.resize(kept);
}

void ProductOrder::putIn(const ProductColumns& columns, const RowNumbers& rows) {
    const RowComparison comparison(columns, _by);
    const auto isBefore = [&](RowNumber a, RowNumber b) { return comparison.isBefore(a, b); };
    std::size_t end = _rows.size();
    makeRoom(_rows, rows.size());
    _rows.resize(end + rows.size());
    const auto at = [this](std::size_t place) { return _rows.begin() + static_cast<std::ptrdiff_t>(place); };
    for (std::size_t i = rows.size(); i-- > 0;) {
        // What changed last is often the last.
        const bool isLast = end == 0 || isBefore(_rows[end - 1], rows[i]);
        const std::size_t place =
            isLast ? end : static_cast<std::size_t>(std::upper_bound(at(0), at(end), rows[i], isBefore) - at(0));
        std::copy_backward(at(place), at(end), at(end + i + 1));
        _rows[place + i] = rows[i];
        end = place;
    }
}

std::size_t ProductOrder::bytes() const {
    return sizeof(*this) + bytesOf(_rows) + bytesOf(_touched);
}

} // namespace supplierd::catalog
