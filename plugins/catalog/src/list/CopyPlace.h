#pragma once

#include <cstdint>
#include <optional>

namespace supplierd::catalog {

/// A place within a copy that was begun with changed_after=0, as a number: for clients that follow changes by numbers
/// alone, without cursors. It says how many products are still to come of those whose last change is `seq` or before
/// it, counted from their end: products leave these when they change again, and none ever joins them, so what comes
/// next is never skipped; only what has come can come again.
///
/// The number of the last product that came says too little: who has an old copy of that number did not learn what was
/// deleted since, and is refused once the change log is no longer that old.
///
/// Such numbers lie from 2^32 to 2^52, between those of changes and those of ChangePlace: in the upper half for many
/// products and fewer changes. With `rest` 0 it is the number of the change itself. Thread: a value.
struct CopyPlace {
    /// The supplier's number of the copy's first page.
    std::int64_t seq = 0;
    std::int64_t rest = 0;

    /// Nothing when it is beyond what such a number holds: 2^32 changes of a supplier, or 2^19 products; 2^24 as long
    /// as there are no more than 2^27 changes. `present`: the supplier's number.
    std::optional<std::int64_t> encode(std::int64_t present) const {
        if (present >= FEW.seqs)
            return std::nullopt;
        if (rest < FEW.rests)
            return rest * FEW.seqs + seq;
        if (rest < MANY.rests && seq < MANY.seqs)
            return UPPER + rest * MANY.seqs + seq;
        return std::nullopt;
    }
    /// Nothing for the number of a change, and of a ChangePlace.
    static std::optional<CopyPlace> decode(std::int64_t number, std::int64_t present) {
        if (present >= FEW.seqs || number < FEW.seqs || number >= 2 * UPPER)
            return std::nullopt;
        if (number < UPPER)
            return CopyPlace{number % FEW.seqs, number / FEW.seqs};
        return CopyPlace{(number - UPPER) % MANY.seqs, (number - UPPER) / MANY.seqs};
    }

private:
    struct Room {
        std::int64_t seqs;
        std::int64_t rests;
    };

    static constexpr std::int64_t UPPER = std::int64_t{1} << 51;
    static constexpr Room FEW{std::int64_t{1} << 32, std::int64_t{1} << 19};
    static constexpr Room MANY{std::int64_t{1} << 27, std::int64_t{1} << 24};
};

} // namespace supplierd::catalog
