#include "Utf8.h"

#include <supplierd/Validation.h>

#include <algorithm>

namespace supplierd {

namespace {

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool isWhiteSpace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// What a lead byte announces: how many bytes follow, and the limits of the first of them (table 3-7 of Unicode).
struct Lead {
    std::size_t following = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
};

Lead leadOf(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF)
        return {1, 0x80, 0xBF};
    if (byte == 0xE0)
        return {2, 0xA0, 0xBF};
    if (byte == 0xED)
        return {2, 0x80, 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF)
        return {2, 0x80, 0xBF};
    if (byte == 0xF0)
        return {3, 0x90, 0xBF};
    if (byte >= 0xF1 && byte <= 0xF3)
        return {3, 0x80, 0xBF};
    if (byte == 0xF4)
        return {3, 0x80, 0x8F};
    return {};
}

bool isVisible(std::string_view utf8) {
    for (std::size_t at = 0; at < utf8.size();) {
        const Utf8Step step = decodeUtf8(utf8, at);
        if (!step.valid || !(isWhiteSpace(step.codePoint) || isInvisible(step.codePoint)))
            return true;
        at += step.length;
    }
    return false;
}

} // namespace

Utf8Step decodeUtf8(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80)
        return {1, true, first};
    const Lead lead = leadOf(first);
    if (lead.following == 0)
        return {1, false, 0};

    char32_t codePoint = first & (0x3FU >> lead.following);
    for (std::size_t i = 1; i <= lead.following; ++i) {
        if (at + i >= text.size())
            return {i, false, 0};
        const auto byte = static_cast<unsigned char>(text[at + i]);
        const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : isContinuation(text[at + i]);
        if (!fits)
            return {i, false, 0};
        codePoint = (codePoint << 6U) | (byte & 0x3FU);
    }
    return {lead.following + 1, true, codePoint};
}

std::size_t codePoints(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return !isContinuation(c); }));
}

std::string_view trimmed(std::string_view utf8) {
    while (!utf8.empty()) {
        const Utf8Step step = decodeUtf8(utf8, 0);
        if (!step.valid || !isWhiteSpace(step.codePoint))
            break;
        utf8.remove_prefix(step.length);
    }
    while (!utf8.empty()) {
        std::size_t start = utf8.size() - 1;
        while (start > 0 && isContinuation(utf8[start]))
            --start;
        const Utf8Step step = decodeUtf8(utf8, start);
        if (!step.valid || start + step.length != utf8.size() || !isWhiteSpace(step.codePoint))
            break;
        utf8.remove_suffix(step.length);
    }
    return isVisible(utf8) ? utf8 : std::string_view();
}

bool looksLikeEmail(std::string_view text) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos || at == 0 || at + 1 == text.size())
        return false;
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
}

bool isValidUtf8(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const Utf8Step step = decodeUtf8(bytes, at);
        if (!step.valid)
            return false;
        at += step.length;
    }
    return true;
}

} // namespace supplierd
