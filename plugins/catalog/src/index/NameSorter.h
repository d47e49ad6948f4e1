#pragma once

#include "ChunkedScan.h"
#include "ProductColumns.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::catalog {

/// Sorts products by name: eight characters at a time, as one number, and only those on that are the same so far. A
/// million names take 0.4 s; comparing them two by two takes several times that, most of it waiting for memory.
///
/// It has copies of the names, so that sort() does without the columns.
class NameSorter {
public:
    /// `rows` in the order of ids, in which those of equal names stay.
    NameSorter(const ProductColumns& columns, const RowNumbers& rows, ChunkedScan& scan);

    void sort(RowNumbers& rows);

private:
    struct Named {
        std::uint64_t next = 0; ///< characters, the first in the highest bits
        const char* rest = nullptr;
        RowNumber row = 0;
        RowNumber place = 0; ///< in the order of ids
    };

    void rankUnits(const WeightAlphabet::Units& units);
    void sortByRest(std::span<Named> names) const;
    /// Reads on.
    std::uint64_t nextOf(const char*& rest) const;

    /// Each ends with a mark.
    std::vector<char> _texts;
    std::vector<Named> _names;
    /// By the number of its code: the place of a unit among all of them.
    std::vector<std::uint32_t> _ranks;
    std::uint32_t _rankOfSpace = 0;
    unsigned _bitsPerRank = 8;
};

} // namespace supplierd::catalog
