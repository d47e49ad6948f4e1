#include "JsonString.h"

#include "Utf8.h"

#include <supplierd/JsonWriter.h>

#include <cstdint>
#include <cstring>

namespace supplierd {

namespace {

constexpr std::string_view REPLACEMENT = "\xEF\xBF\xBD"; // U+FFFD

bool isPlain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// True when none of 8 bytes needs a look: each is ASCII, no control character, quote or backslash.
bool arePlain(std::uint64_t bytes) {
    constexpr std::uint64_t ONES = 0x0101010101010101U;
    constexpr std::uint64_t HIGH = 0x8080808080808080U;
    const std::uint64_t quote = bytes ^ (ONES * '"');
    const std::uint64_t backslash = bytes ^ (ONES * '\\');
    // A byte below n leaves its high bit set after subtracting n. A borrow may spread to a higher byte, but only from
    // one that is found anyway.
    return ((bytes | (bytes - ONES * 0x20U) | (quote - ONES) | (backslash - ONES)) & HIGH) == 0;
}

std::uint64_t load(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

std::size_t plainLength(std::string_view text, std::size_t from) {
    std::size_t at = from;
    while (at + 8 <= text.size() && arePlain(load(text.data() + at)))
        at += 8;
    while (at < text.size() && isPlain(text[at]))
        ++at;
    return at - from;
}

void appendEscaped(std::string& out, char c) {
    static constexpr std::string_view HEX = "0123456789abcdef";
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\b':
        out += "\\b";
        return;
    case '\f':
        out += "\\f";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        out += "\\u00";
        out += HEX[static_cast<unsigned char>(c) >> 4U];
        out += HEX[static_cast<unsigned char>(c) & 0x0FU];
    }
}

void appendSlowly(std::string& out, std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const std::size_t plain = plainLength(text, at);
        out.append(text, at, plain);
        at += plain;
        if (at == text.size())
            return;
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            appendEscaped(out, text[at++]);
            continue;
        }
        const Utf8Step step = decodeUtf8(text, at);
        out += step.valid ? text.substr(at, step.length) : REPLACEMENT;
        at += step.length;
    }
}

} // namespace

std::size_t copyPlain(char* to, std::string_view text) {
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t word = load(text.data() + at);
        if (!arePlain(word))
            return at;
        std::memcpy(to + at, &word, sizeof word);
    }
    for (; at < text.size() && isPlain(text[at]); ++at)
        to[at] = text[at];
    return at;
}

void appendJsonString(std::string& out, std::string_view text) {
    out += '"';
    const std::size_t plain = plainLength(text, 0);
    out.append(text, 0, plain);
    if (plain < text.size())
        appendSlowly(out, text, plain);
    out += '"';
}

} // namespace supplierd
