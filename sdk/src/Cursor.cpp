#include <supplierd/Cursor.h>

#include <array>
#include <charconv>

namespace supplierd {

namespace {

constexpr std::string_view ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr char VERSION = '1';

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

/// Takes the next number and the '.' behind it off the front of `rest`.
template <class T>
bool takeNumber(std::string_view& rest, T& number, int base) {
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

} // namespace

std::string CursorParts::encode() const {
    std::string text(1, VERSION);
    text += '.';
    std::array<char, 16> hex{};
    text.append(hex.data(), std::to_chars(hex.data(), hex.data() + hex.size(), fingerprint, 16).ptr);
    text += '.';
    for (const std::int64_t number : numbers)
        text += std::to_string(number) + '.';
    text += key;
    return toBase64Url(text);
}

std::optional<CursorParts> CursorParts::decode(std::string_view text, std::size_t numbers) {
    const auto bytes = fromBase64Url(text);
    if (!bytes || bytes->size() < 2 || (*bytes)[0] != VERSION || (*bytes)[1] != '.')
        return std::nullopt;
    std::string_view rest = *bytes;
    rest.remove_prefix(2);
    CursorParts parts;
    parts.numbers.resize(numbers);
    if (!takeNumber(rest, parts.fingerprint, 16))
        return std::nullopt;
    for (std::int64_t& number : parts.numbers)
        if (!takeNumber(rest, number, 10))
            return std::nullopt;
    parts.key = rest;
    // Leading zeros, and stray bits at the end of the text.
    if (parts.encode() != text)
        return std::nullopt;
    return parts;
}

void ListFingerprint::add(std::string_view text) {
    constexpr std::uint64_t PRIME = 1'099'511'628'211ULL;
    for (const char c : text)
        _value = (_value ^ static_cast<unsigned char>(c)) * PRIME;
    _value *= PRIME; // a NUL, which no text has, between this and the next
}

bool hasFormOfDatabaseTime(std::string_view text) {
    constexpr std::string_view FORM = "dddd-dd-dd dd:dd:dd.dddddd";
    if (text.size() != FORM.size())
        return false;
    for (std::size_t i = 0; i < FORM.size(); ++i) {
        const bool isDigit = text[i] >= '0' && text[i] <= '9';
        if (FORM[i] == 'd' ? !isDigit : text[i] != FORM[i])
            return false;
    }
    return true;
}

} // namespace supplierd
