#pragma once

#include <cstdint>
#include <optional>

namespace supplierd::catalog {

/// A place within a copy that was begun with changed_after=0, as a number: for clients that follow changes by numbers
/// alone, without cursors. It says how many products are still to come of those whose last change is `seq` or before
/// it, counted from their end: products leave these when they change again, and none ever joins them, so what comes
/// next is never skipped; only what has come can come again.
///
/// The number of the last product that came says too little: who has an old copy of that number was not told what was
/// deleted since, and is refused once the change log is no longer that old.
///
/// Such numbers lie from 2^32 to 2^52, between those of changes and those of ChangePlace. With `rest` 0 it is the
/// number of the change itself. Thread: a value.
struct CopyPlace {
    /// The supplier's number of the copy's first page.
    std::int64_t seq = 0;
    std::int64_t rest = 0;

    /// Nothing when it is beyond what such a number holds: 2^32 changes of a supplier, or 2^20 products.
    std::optional<std::int64_t> encode(std::int64_t present) const {
        if (present >= SEQS || seq >= SEQS || rest >= RESTS)
            return std::nullopt;
        return rest * SEQS + seq;
    }
    /// Nothing for the number of a change, and of a ChangePlace. `present`: the supplier's number.
    static std::optional<CopyPlace> decode(std::int64_t number, std::int64_t present) {
        if (present >= SEQS || number < SEQS || number >= RESTS * SEQS)
            return std::nullopt;
        return CopyPlace{number % SEQS, number / SEQS};
    }

private:
    static constexpr std::int64_t SEQS = std::int64_t{1} << 32;
    static constexpr std::int64_t RESTS = std::int64_t{1} << 20;
};

} // namespace supplierd::catalog
