#include "Cursor.h"

#include <supplierd/Cursor.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace supplierd::catalog {

namespace {

/// Of 255 characters, each of which the database expands to no more than 18 weights.
constexpr std::size_t MAX_KEY_BYTES = std::size_t{255} * 2 * 18;
/// More than any list has or any walk delivers, and so few that a page's rows can be added.
constexpr std::int64_t MAX_PRODUCTS = std::numeric_limits<std::int64_t>::max() / 2;

enum Number : std::size_t { PhaseNumber, Sort, Position, StartSeq, LastNumber, LastId, EndId, NUMBERS };

} // namespace

std::string Cursor::encode() const {
    CursorParts parts{fingerprint, std::vector<std::int64_t>(NUMBERS), last.nameWeights};
    parts.numbers[PhaseNumber] = static_cast<std::int64_t>(phase);
    parts.numbers[Sort] = static_cast<std::int64_t>(sort.number());
    parts.numbers[Position] = position;
    parts.numbers[StartSeq] = startSeq;
    // Each phase leaves one of these places to `shownSeq`, and the release before takes no notice of it there.
    const bool isLate = phase == Phase::LateChanges;
    parts.numbers[LastNumber] = isLate ? shownSeq : last.number;
    parts.numbers[LastId] = last.id;
    parts.numbers[EndId] = isLate ? endId : shownSeq;
    return parts.encode();
}

std::optional<Cursor> Cursor::decode(std::string_view text) {
    const auto parts = CursorParts::decode(text, NUMBERS);
    if (!parts)
        return std::nullopt;
    const auto& numbers = parts->numbers;
    if (numbers[PhaseNumber] < static_cast<std::int64_t>(Phase::Order) ||
        numbers[PhaseNumber] > static_cast<std::int64_t>(Phase::Delta) || numbers[Sort] < 0 ||
        numbers[Sort] >= static_cast<std::int64_t>(SORT_NAMES.size()) || numbers[Position] < 1 ||
        numbers[Position] > MAX_PRODUCTS || numbers[StartSeq] < 0 || numbers[LastNumber] < 0 || numbers[LastId] < 0 ||
        numbers[EndId] < 0)
        return std::nullopt;
    Cursor cursor;
    cursor.phase = static_cast<Phase>(numbers[PhaseNumber]);
    cursor.sort = ListSort::fromNumber(static_cast<std::size_t>(numbers[Sort]));
    const bool hasKey = cursor.phase == Phase::Order && cursor.sort.key == SortKey::Name;
    if (hasKey ? parts->key.size() > MAX_KEY_BYTES : !parts->key.empty())
        return std::nullopt;
    cursor.fingerprint = parts->fingerprint;
    cursor.position = numbers[Position];
    cursor.startSeq = numbers[StartSeq];
    const bool isLate = cursor.phase == Phase::LateChanges;
    cursor.last = {isLate ? 0 : numbers[LastNumber], parts->key, numbers[LastId]};
    cursor.endId = isLate ? numbers[EndId] : 0;
    cursor.shownSeq = numbers[isLate ? LastNumber : EndId];
    return cursor;
}

} // namespace supplierd::catalog
