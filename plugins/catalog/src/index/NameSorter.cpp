#include "NameSorter.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace supplierd::catalog {

NameSorter::NameSorter(const ProductColumns& columns, const RowNumbers& rows, ChunkedScan& scan) {
    constexpr std::size_t USUAL_LENGTH = 40;
    _texts.reserve(rows.size() * USUAL_LENGTH);
    std::vector<std::size_t> begins;
    begins.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % ChunkedScan::CHUNK == ChunkedScan::CHUNK - 1)
            scan.pause();
        const char* const name = columns.texts().name(rows[i]);
        const char* end = name;
        while (static_cast<unsigned char>(*end) > WeightAlphabet::LAST_MARK)
            ++end;
        begins.push_back(_texts.size());
        _texts.insert(_texts.end(), name, end);
        _texts.push_back(static_cast<char>(WeightAlphabet::END));
    }
    _names.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        _names.push_back({0, _texts.data() + begins[i], rows[i], static_cast<RowNumber>(i)});
    // At last, since what came in a pause may have brought further ones.
    rankUnits(columns.texts().alphabet().units());
}

void NameSorter::rankUnits(const WeightAlphabet::Units& units) {
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

void NameSorter::sort(RowNumbers& rows) {
    sortByRest(_names);
    std::transform(_names.begin(), _names.end(), rows.begin(), [](const Named& name) { return name.row; });
}

void NameSorter::sortByRest(std::span<Named> names) const {
    bool isAnyLeft = false;
    for (Named& name : names) {
        isAnyLeft = isAnyLeft || static_cast<unsigned char>(*name.rest) > WeightAlphabet::LAST_MARK;
        name.next = nextOf(name.rest);
    }
    if (!isAnyLeft) {
        std::sort(names.begin(), names.end(), [](const Named& a, const Named& b) { return a.place < b.place; });
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
