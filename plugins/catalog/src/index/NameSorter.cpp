#include "NameSorter.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace supplierd::catalog {

NameSorter::NameSorter(const ProductColumns& columns) : _columns(columns) {
    const auto& units = columns.texts().alphabet().units();
    std::vector<std::uint32_t> numbers(units.size());
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::sort(numbers.begin(), numbers.end(), [&](auto a, auto b) { return units[a] < units[b]; });
    _ranks.resize(units.size());
    // The space has a place of its own, whether it is among them or not.
    std::uint32_t rank = 0;
    for (const std::uint32_t number : numbers) {
        if (units[number] < WeightAlphabet::SPACE)
            _rankOfSpace = rank + 1;
        rank += units[number] > WeightAlphabet::SPACE && rank == _rankOfSpace ? 1 : 0;
        _ranks[number] = rank++;
    }
    _bitsPerRank = std::bit_ceil(std::max(8U, static_cast<unsigned>(std::bit_width(rank))));
}

void NameSorter::sort(RowNumbers& rows) const {
    std::vector<Named> names(rows.size());
    std::transform(rows.begin(), rows.end(), names.begin(), [this](RowNumber row) {
        return Named{0, _columns.texts().name(row), row};
    });
    sortByRest(names);
    std::transform(names.begin(), names.end(), rows.begin(), [](const Named& name) { return name.row; });
}

void NameSorter::sortByRest(std::span<Named> names) const {
    bool isAnyLeft = false;
    for (Named& name : names) {
        isAnyLeft = isAnyLeft || static_cast<unsigned char>(*name.rest) > WeightAlphabet::LAST_MARK;
        name.next = nextOf(name.rest);
    }
    if (!isAnyLeft) {
        std::sort(names.begin(), names.end(),
                  [this](const Named& a, const Named& b) { return _columns.id(a.row) < _columns.id(b.row); });
        return;
    }
    std::sort(names.begin(), names.end(), [](const Named& a, const Named& b) { return a.next < b.next; });
    for (std::size_t first = 0, end = 0; first < names.size(); first = end) {
        end = first + 1;
        while (end < names.size() && names[end].next == names[first].next)
            ++end;
        if (end - first > 1)
            sortByRest(names.subspan(first, end - first));
    }
}

std::uint64_t NameSorter::nextOf(const char*& rest) const {
    std::uint64_t next = 0;
    for (unsigned bits = 0; bits < 64; bits += _bitsPerRank) {
        const std::uint32_t number = WeightAlphabet::nextNumber(rest);
        next = next << _bitsPerRank | (number == WeightAlphabet::NO_NUMBER ? _rankOfSpace : _ranks[number]);
    }
    return next;
}

} // namespace supplierd::catalog
