#include "RowComparison.h"

#include "NameSorter.h"

#include <algorithm>
#include <vector>

namespace supplierd::catalog {

bool RowComparison::isBefore(RowNumber a, RowNumber b) const {
    if (_by == OrderBy::Name) {
        const ProductTexts& texts = _columns.texts();
        const int names = texts.alphabet().compare(texts.name(a), texts.name(b));
        return names != 0 ? names < 0 : _columns.id(a) < _columns.id(b);
    }
    const std::int64_t keyOfA = _columns.number(_by, a);
    const std::int64_t keyOfB = _columns.number(_by, b);
    return keyOfA != keyOfB ? keyOfA < keyOfB : _columns.id(a) < _columns.id(b);
}

void RowComparison::sort(RowNumbers& rows) const {
    ChunkedScan alone;
    sort(rows, alone);
}

void RowComparison::sort(RowNumbers& rows, ChunkedScan& scan) const {
    _columns.sortById(rows);
    if (_by == OrderBy::Id)
        return;
    if (_by == OrderBy::Name) {
        NameSorter sorter(_columns, rows, scan);
        scan.without([&] { sorter.sort(rows); });
        return;
    }
    struct Keyed {
        std::int64_t key;
        RowNumber row;
        RowNumber place; ///< in the order of ids
    };
    std::vector<Keyed> keyed;
    keyed.reserve(rows.size());
    for (const RowNumber row : rows)
        keyed.push_back({_columns.number(_by, row), row, static_cast<RowNumber>(keyed.size())});
    scan.without([&] {
        std::sort(keyed.begin(), keyed.end(),
                  [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; });
        std::transform(keyed.begin(), keyed.end(), rows.begin(), [](const Keyed& one) { return one.row; });
    });
}

std::size_t RowComparison::countBefore(const RowNumbers& rows, const IndexPosition& position) const {
    return count(rows, position, [](int order) { return order < 0; });
}

std::size_t RowComparison::countUpTo(const RowNumbers& rows, const IndexPosition& position) const {
    return count(rows, position, [](int order) { return order <= 0; });
}

IndexPosition RowComparison::positionOf(RowNumber row) const {
    IndexPosition position{_columns.number(_by, row), {}, _columns.id(row)};
    if (_by == OrderBy::Name)
        position.nameWeights = _columns.texts().nameWeights(row);
    return position;
}

template <class IsBefore>
std::size_t RowComparison::count(const RowNumbers& rows, const IndexPosition& position, IsBefore isBefore) const {
    const ProductTexts& texts = _columns.texts();
    const auto units = WeightAlphabet::unitsOf(position.nameWeights);
    const std::int64_t key = _by == OrderBy::Id ? position.id : position.number;
    const auto compare = [](std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b ? 1 : 0; };
    const auto order = [&](RowNumber row) {
        const int keys = _by == OrderBy::Name ? texts.alphabet().compare(texts.name(row), units)
                                              : compare(_columns.number(_by, row), key);
        return keys != 0 ? keys : compare(_columns.id(row), position.id);
    };
    const auto end =
        std::partition_point(rows.begin(), rows.end(), [&](RowNumber row) { return isBefore(order(row)); });
    return static_cast<std::size_t>(end - rows.begin());
}

} // namespace supplierd::catalog
