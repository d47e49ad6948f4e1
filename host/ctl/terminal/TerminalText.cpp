#include "host/ctl/terminal/TerminalText.h"

#include <supplierd/Validation.h>

#include <fmt/format.h>

#include <cstddef>

namespace supplierd::host {
namespace {

/// The length of a character by its first byte, in valid UTF-8.
std::size_t lengthOf(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xE0)
        return 2;
    return first < 0xF0 ? 3 : 4;
}

char32_t codePointOf(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1)
        return byte(0);
    char32_t codePoint = byte(0) & (0x7FU >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i)
        codePoint = codePoint << 6U | (byte(i) & 0x3FU);
    return codePoint;
}

bool isHarmful(char32_t c) {
    const bool isControl = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool endsLine = c == 0x2028 || c == 0x2029;
    const bool turnsDirection =
        c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return isControl || endsLine || turnsDirection;
}

std::string shown(std::string_view text, bool keepLines) {
    const bool isUtf8 = isValidUtf8(text);
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::string_view character = text.substr(0, isUtf8 ? lengthOf(first) : 1);
        text.remove_prefix(character.size());
        if (!isUtf8 && first >= 0x80)
            result += fmt::format("\\x{:02x}", first);
        else if (const char32_t code = codePointOf(character); isHarmful(code) && !(keepLines && code == '\n'))
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
        else
            result += character;
    }
    return result;
}

} // namespace

std::string terminalText(std::string_view text) {
    return shown(text, false);
}

std::string terminalLines(std::string_view text) {
    return shown(text, true);
}

} // namespace supplierd::host
