#include "ListCursor.h"

#include <Poco/Base64Decoder.h>
#include <Poco/Base64Encoder.h>
#include <Poco/Exception.h>

#include <array>
#include <charconv>
#include <iterator>
#include <sstream>

namespace supplierd::orders {

namespace {

constexpr char VERSION = '1';
constexpr int ALPHABET = Poco::BASE64_URL_ENCODING | Poco::BASE64_NO_PADDING;

std::string toText(const std::string& bytes) {
    std::ostringstream text;
    Poco::Base64Encoder encoder(text, ALPHABET);
    encoder.rdbuf()->setLineLength(0);
    encoder << bytes;
    encoder.close();
    return text.str();
}

std::optional<std::string> toBytes(const std::string& text) {
    if (text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != std::string::npos)
        return std::nullopt;
    try {
        std::istringstream stream(text);
        Poco::Base64Decoder decoder(stream, ALPHABET);
        return std::string(std::istreambuf_iterator<char>(decoder), {});
    } catch (const Poco::DataFormatException&) {
        return std::nullopt;
    }
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

/// As the database prints a DATETIME(6).
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

} // namespace

std::string ListCursor::encode() const {
    std::array<char, 16> hex{};
    std::string text(1, VERSION);
    text += '.';
    text.append(hex.data(), std::to_chars(hex.data(), hex.data() + hex.size(), fingerprint, 16).ptr);
    for (const std::int64_t number : {page, lastId, total.value_or(-1)})
        text += '.' + std::to_string(number);
    text += '.' + lastCreated;
    return toText(text);
}

std::optional<ListCursor> ListCursor::decode(const std::string& text) {
    const auto bytes = toBytes(text);
    if (!bytes || bytes->size() < 2 || (*bytes)[0] != VERSION || (*bytes)[1] != '.')
        return std::nullopt;
    std::string_view rest = *bytes;
    rest.remove_prefix(2);
    ListCursor cursor;
    std::int64_t total = 0;
    if (!takeNumber(rest, cursor.fingerprint, 16) || !takeNumber(rest, cursor.page) ||
        !takeNumber(rest, cursor.lastId) || !takeNumber(rest, total))
        return std::nullopt;
    if (cursor.page < 2 || cursor.lastId < 1 || total < -1 || (!rest.empty() && !isTimestamp(rest)))
        return std::nullopt;
    cursor.lastCreated = rest;
    if (total >= 0)
        cursor.total = total;
    // One spelling per cursor: stray bits at the end of the text are refused too.
    if (cursor.encode() != text)
        return std::nullopt;
    return cursor;
}

} // namespace supplierd::orders
