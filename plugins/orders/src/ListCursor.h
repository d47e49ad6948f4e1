#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::orders {

/// Where a walk through a list stands: behind the last order group delivered. Groups never change their place in a
/// list, and new ones come before it, so nothing is skipped.
struct ListCursor {
    /// What ties it to the list it came from.
    std::uint64_t fingerprint = 0;
    /// How many groups of the list lie before the page that it leads to.
    std::int64_t position = 0;
    std::int64_t lastId = 0;
    /// Only in lists by creation: "2026-11-20 14:48:00.123456".
    std::string lastCreated;
    /// How many groups matched when the walk began; only where they had to be counted.
    std::optional<std::int64_t> total;

    /// Opaque text of [A-Za-z0-9_-].
    std::string encode() const;
    /// Nothing for a text that encode() cannot have made.
    static std::optional<ListCursor> decode(const std::string& text);
};

} // namespace supplierd::orders
