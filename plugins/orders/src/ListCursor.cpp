#include "ListCursor.h"

#include <supplierd/Cursor.h>

#include <limits>

namespace supplierd::orders {

namespace {

/// More than any list has or any walk delivers, and so few that a page's rows can be added.
constexpr std::int64_t MAX_GROUPS = std::numeric_limits<std::int64_t>::max() / 2;

enum Number : std::size_t { Position, LastId, Total, NUMBERS };

} // namespace

std::string ListCursor::encode() const {
    CursorParts parts{fingerprint, std::vector<std::int64_t>(NUMBERS), lastCreated};
    parts.numbers[Position] = position;
    parts.numbers[LastId] = lastId;
    parts.numbers[Total] = total.value_or(-1);
    return parts.encode();
}

std::optional<ListCursor> ListCursor::decode(const std::string& text) {
    const auto parts = CursorParts::decode(text, NUMBERS);
    if (!parts || parts->numbers[Position] < 1 || parts->numbers[Position] > MAX_GROUPS || parts->numbers[LastId] < 1 ||
        parts->numbers[Total] < -1 || parts->numbers[Total] > MAX_GROUPS)
        return std::nullopt;
    if (!parts->key.empty() && !hasFormOfDatabaseTime(parts->key))
        return std::nullopt;
    ListCursor cursor;
    cursor.fingerprint = parts->fingerprint;
    cursor.position = parts->numbers[Position];
    cursor.lastId = parts->numbers[LastId];
    cursor.lastCreated = parts->key;
    if (parts->numbers[Total] >= 0)
        cursor.total = parts->numbers[Total];
    return cursor;
}

} // namespace supplierd::orders
