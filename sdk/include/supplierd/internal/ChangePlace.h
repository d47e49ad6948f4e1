#pragma once

#include <cstdint>
#include <optional>

namespace supplierd {

/// A place within one change that is longer than a page, as a number: for clients that follow changes by numbers alone,
/// without cursors. It says how many objects of the change are still to come, counted from its end: objects leave a
/// change when they change again, and none ever joins it, so what comes next is never skipped; only what has come can
/// come again.
///
/// Such numbers lie from 2^52 to 2^53: far above all numbers of changes, and exact in a program that keeps numbers as
/// doubles. Thread: a value. Since 1.0.
struct ChangePlace {
    std::int64_t seq = 0;
    std::int64_t rest = 0;

    /// Nothing when it is beyond what such a number holds: 2^32 changes of a supplier, or 2^20 objects in one.
    std::optional<std::int64_t> encode() const {
        if (seq >= SEQS || rest >= RESTS)
            return std::nullopt;
        return FIRST_PLACE + seq * RESTS + rest;
    }
    /// Nothing for the number of a change.
    static std::optional<ChangePlace> decode(std::int64_t number) {
        if (number < FIRST_PLACE || number >= 2 * FIRST_PLACE)
            return std::nullopt;
        return ChangePlace{(number - FIRST_PLACE) / RESTS, number % RESTS};
    }

private:
    static constexpr std::int64_t FIRST_PLACE = std::int64_t{1} << 52;
    static constexpr std::int64_t SEQS = std::int64_t{1} << 32;
    static constexpr std::int64_t RESTS = std::int64_t{1} << 20;
};

} // namespace supplierd
