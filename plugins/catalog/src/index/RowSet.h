#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace supplierd::catalog {

/// The place of a product in the columns of the index: it never changes while the index lives.
using RowNumber = std::uint32_t;
using RowNumbers = std::vector<RowNumber>;

/// A bit a row. Thread: as a std::vector.
class RowSet {
public:
    explicit RowSet(std::size_t rows) : _words((rows + 63) / 64) {}

    void add(RowNumber row) { _words[row / 64] |= std::uint64_t{1} << row % 64; }
    bool has(RowNumber row) const { return (_words[row / 64] >> row % 64 & 1) != 0; }

    /// Calls use(row) in ascending order.
    template <class Use>
    void forEach(Use use) const {
        for (std::size_t i = 0; i < _words.size(); ++i)
            for (std::uint64_t word = _words[i]; word != 0; word &= word - 1)
                use(static_cast<RowNumber>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }

private:
    std::vector<std::uint64_t> _words;
};

} // namespace supplierd::catalog
