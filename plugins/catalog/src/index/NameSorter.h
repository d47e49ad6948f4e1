#pragma once

#include "ProductColumns.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::catalog {

/// Sorts products by name and id: eight characters at a time, as one number, and only those on that are the same so
/// far. A million names take 0.6 s; comparing them two by two takes several times that, most of it waiting for memory.
class NameSorter {
public:
    explicit NameSorter(const ProductColumns& columns);

    void sort(RowNumbers& rows) const;

private:
    struct Named {
        std::uint64_t next = 0; ///< characters, the first in the highest bits
        const char* rest = nullptr;
        RowNumber row = 0;
    };

    void sortByRest(std::span<Named> names) const;
    /// Reads on.
    std::uint64_t nextOf(const char*& rest) const;

    const ProductColumns& _columns;
    /// By the number of its code: the place of a unit among all of them.
    std::vector<std::uint32_t> _ranks;
    std::uint32_t _rankOfSpace = 0;
    unsigned _bitsPerRank = 8;
};

} // namespace supplierd::catalog
