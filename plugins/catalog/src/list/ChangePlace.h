#pragma once

#include <cstdint>
#include <optional>

namespace supplierd::catalog {

/// A place within one change that is longer than a page, as a number: for who follows changes by numbers alone, without
/// cursors. It says how many products of the change are still to come, counted from its end: products leave a change
/// when they change again, and none ever joins it, so what comes next is never skipped; only what has come can come
/// again.
///
/// Such numbers lie from 2^52 to 2^53: far above all numbers of changes, and exact in a program that keeps numbers as
/// doubles.
struct ChangePlace {
    std::int64_t seq = 0;
    std::int64_t rest = 0;

    /// Nothing when it is beyond what such a number holds: 2^32 changes of a supplier, or 2^20 products in one.
    std::optional<std::int64_t> encode() const;
    /// Nothing for the number of a change.
    static std::optional<ChangePlace> decode(std::int64_t number);
};

} // namespace supplierd::catalog
