#include "Cursor.h"

#include <supplierd/Cursor.h>
#include <supplierd/Decimal.h>
#include <supplierd/Validation.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace supplierd::catalog {

namespace {

constexpr std::size_t MAX_KEY_BYTES = std::size_t{4} * 255;
/// More than any list has or any walk delivers, and so few that a page's rows can be added.
constexpr std::int64_t MAX_PRODUCTS = std::numeric_limits<std::int64_t>::max() / 2;

enum Number : std::size_t { PhaseNumber, Sort, Position, StartSeq, LastId, LastSeq, EndId, Total, NUMBERS };

bool isDigits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool isKeyOf(SortKey sort, std::string_view key) {
    switch (sort) {
    case SortKey::Id:
        return key.empty();
    case SortKey::Name:
        return key.size() <= MAX_KEY_BYTES && isValidUtf8(key);
    case SortKey::BasePrice:
        return key.size() <= 20 && Decimal::parse(key).has_value();
    case SortKey::StockQty:
        return key.size() <= 18 && isDigits(key);
    case SortKey::UpdatedAt:
        return hasFormOfDatabaseTime(key);
    }
    return false;
}

} // namespace

std::string Cursor::encode() const {
    CursorParts parts{fingerprint, std::vector<std::int64_t>(NUMBERS), lastKey};
    parts.numbers[PhaseNumber] = static_cast<std::int64_t>(phase);
    parts.numbers[Sort] = static_cast<std::int64_t>(sort.number());
    parts.numbers[Position] = position;
    parts.numbers[StartSeq] = startSeq;
    parts.numbers[LastId] = lastId;
    parts.numbers[LastSeq] = lastSeq;
    parts.numbers[EndId] = endId;
    parts.numbers[Total] = total.value_or(-1);
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
        numbers[Position] > MAX_PRODUCTS || numbers[StartSeq] < 0 || numbers[LastId] < 0 || numbers[LastSeq] < 0 ||
        numbers[EndId] < 0 || numbers[Total] < -1 || numbers[Total] > MAX_PRODUCTS)
        return std::nullopt;
    Cursor cursor;
    cursor.phase = static_cast<Phase>(numbers[PhaseNumber]);
    cursor.sort = ListSort::fromNumber(static_cast<std::size_t>(numbers[Sort]));
    if (cursor.phase == Phase::Order ? !isKeyOf(cursor.sort.key, parts->key) : !parts->key.empty())
        return std::nullopt;
    cursor.fingerprint = parts->fingerprint;
    cursor.position = numbers[Position];
    cursor.startSeq = numbers[StartSeq];
    cursor.lastId = numbers[LastId];
    cursor.lastSeq = numbers[LastSeq];
    cursor.endId = numbers[EndId];
    cursor.lastKey = parts->key;
    if (numbers[Total] >= 0)
        cursor.total = numbers[Total];
    return cursor;
}

} // namespace supplierd::catalog
