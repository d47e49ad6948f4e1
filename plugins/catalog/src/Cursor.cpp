#include "Cursor.h"

#include <supplierd/Decimal.h>
#include <supplierd/Validation.h>

#include <array>
#include <charconv>
#include <cstddef>

namespace supplierd::catalog {

namespace {

constexpr std::string_view ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr char VERSION = '1';
constexpr std::size_t MAX_KEY_BYTES = std::size_t{4} * 255;

std::string toBase64Url(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() * 4 / 3 + 3);
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char c : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        for (count += 8; count >= 6; count -= 6)
            out += ALPHABET[bits >> (count - 6) & 63U];
    }
    if (count > 0)
        out += ALPHABET[bits << (6 - count) & 63U];
    return out;
}

std::optional<std::string> fromBase64Url(std::string_view text) {
    std::string out;
    out.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char c : text) {
        const std::size_t value = ALPHABET.find(c);
        if (value == std::string_view::npos)
            return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out += static_cast<char>(bits >> count & 255U);
        }
    }
    return out;
}

/// Takes the next '.'-separated number off the front of `rest`.
template <class T>
bool takeNumber(std::string_view& rest, T& number, int base = 10) {
    const std::size_t end = rest.find('.');
    if (end == std::string_view::npos)
        return false;
    const char* last = rest.data() + end;
    const auto [stop, error] = std::from_chars(rest.data(), last, number, base);
    if (error != std::errc() || stop != last)
        return false;
    rest.remove_prefix(end + 1);
    return true;
}

bool isDigits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "2026-11-20 14:48:00.123456", as the database prints a DATETIME(6).
bool isTimestamp(std::string_view text) {
    constexpr std::string_view SHAPE = "dddd-dd-dd dd:dd:dd.dddddd";
    if (text.size() != SHAPE.size())
        return false;
    for (std::size_t i = 0; i < SHAPE.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (SHAPE[i] == 'd' ? !digit : text[i] != SHAPE[i])
            return false;
    }
    return true;
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
        return isTimestamp(key);
    }
    return false;
}

void append(std::string& out, std::int64_t number) {
    out += std::to_string(number);
    out += '.';
}

} // namespace

std::string Cursor::encode() const {
    std::string text(1, VERSION);
    text += '.';
    append(text, static_cast<std::int64_t>(phase));
    append(text, static_cast<std::int64_t>(sort.number()));
    std::array<char, 16> hex{};
    text.append(hex.data(), std::to_chars(hex.data(), hex.data() + hex.size(), fingerprint, 16).ptr);
    text += '.';
    append(text, page);
    append(text, startSeq);
    append(text, lastId);
    append(text, lastSeq);
    append(text, total.value_or(-1));
    text += lastKey;
    return toBase64Url(text);
}

std::optional<Cursor> Cursor::decode(std::string_view text) {
    const auto bytes = fromBase64Url(text);
    if (!bytes || bytes->size() < 2 || (*bytes)[0] != VERSION || (*bytes)[1] != '.')
        return std::nullopt;
    std::string_view rest = *bytes;
    rest.remove_prefix(2);

    Cursor cursor;
    int phase = 0;
    std::size_t sort = 0;
    std::int64_t total = 0;
    const bool complete = takeNumber(rest, phase) && takeNumber(rest, sort) &&
                          takeNumber(rest, cursor.fingerprint, 16) && takeNumber(rest, cursor.page) &&
                          takeNumber(rest, cursor.startSeq) && takeNumber(rest, cursor.lastId) &&
                          takeNumber(rest, cursor.lastSeq) && takeNumber(rest, total);
    if (!complete || (phase != 1 && phase != 2) || sort >= SORT_NAMES.size() || cursor.page < 2 ||
        cursor.startSeq < 0 || cursor.lastId < 0 || cursor.lastSeq < 0 || total < -1)
        return std::nullopt;
    cursor.phase = static_cast<Phase>(phase);
    cursor.sort = ListSort::fromNumber(sort);
    if (total >= 0)
        cursor.total = total;
    if (cursor.phase == Phase::Changes ? !rest.empty() : !isKeyOf(cursor.sort.key, rest))
        return std::nullopt;
    cursor.lastKey = rest;
    // One spelling per cursor: stray bits at the end of the text are refused too.
    if (cursor.encode() != text)
        return std::nullopt;
    return cursor;
}

} // namespace supplierd::catalog
