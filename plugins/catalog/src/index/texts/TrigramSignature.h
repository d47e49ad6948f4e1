#pragma once

#include "index/RowSet.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// Tells which of 1,024 rows cannot have a term: a signature file in bit slices. A trigram is three bytes of codes, one
/// behind the other. Its hash chooses two slices, which have a bit for each group of 8 rows. A text sets the bits of
/// its trigrams, and a term can only be where those of all its own are set. Other trigrams may have set them too, so
/// that the texts which are left have to be searched. It takes 32 bytes a row.
///
/// Thread: const functions at the same time from any; the others alone.
class TrigramSignature {
public:
    static constexpr RowNumber ROWS = 1'024;
    static constexpr RowNumber GROUP = 8;

    TrigramSignature() : _slices(std::size_t{1} << SLICE_BITS) {}

    /// Each of a row's texts ends with a mark. What the row had before keeps its bits, which only makes searches
    /// slower.
    void add(RowNumber row, std::string_view texts);
    /// As many texts as it has rows were replaced, so that it is worth making again.
    bool isStale() const { return _added >= 2 * ROWS; }

    /// Calls use(row) with the first row of each group that may have the codes, in ascending order. Codes shorter than
    /// a trigram may be in all.
    template <class Use>
    void forEachGroup(std::string_view codes, Use use) const {
        const Slice groups = find(codes);
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::uint64_t word = groups[i]; word != 0; word &= word - 1)
                use(static_cast<RowNumber>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))) * GROUP);
    }

    static constexpr std::size_t bytes() { return sizeof(Slice) << SLICE_BITS; }

private:
    using Slice = std::array<std::uint64_t, ROWS / GROUP / 64>;
    static constexpr unsigned SLICE_BITS = 11;

    static std::size_t firstSlice(std::uint64_t hash) { return hash >> (64 - SLICE_BITS); }
    static std::size_t secondSlice(std::uint64_t hash) { return firstSlice(hash << SLICE_BITS); }
    Slice find(std::string_view codes) const;

    std::vector<Slice> _slices;
    RowNumber _added = 0;
};

} // namespace supplierd::catalog
