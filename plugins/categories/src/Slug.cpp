#include "Slug.h"

#include <array>
#include <cstddef>

namespace supplierd::categories {

namespace {

constexpr char32_t FIRST_LETTER = 0xC0;
constexpr char32_t LAST_LETTER = 0x17F;

// U+00C0 to U+017F without their accents; a blank separates words. Signs of multiplication and division are no letters.
constexpr std::array<std::string_view, LAST_LETTER - FIRST_LETTER + 1> BASE{
    "a", "a", "a",  "a",  "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i",  "i",  // U+00C0
    "d", "n", "o",  "o",  "o", "o", "o",  " ", "o", "u", "u", "u", "u", "y", "th", "ss", //
    "a", "a", "a",  "a",  "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i",  "i",  // U+00E0
    "d", "n", "o",  "o",  "o", "o", "o",  " ", "o", "u", "u", "u", "u", "y", "th", "y",  //
    "a", "a", "a",  "a",  "a", "a", "c",  "c", "c", "c", "c", "c", "c", "c", "d",  "d",  // U+0100
    "d", "d", "e",  "e",  "e", "e", "e",  "e", "e", "e", "e", "e", "g", "g", "g",  "g",  //
    "g", "g", "g",  "g",  "h", "h", "h",  "h", "i", "i", "i", "i", "i", "i", "i",  "i",  // U+0120
    "i", "i", "ij", "ij", "j", "j", "k",  "k", "k", "l", "l", "l", "l", "l", "l",  "l",  //
    "l", "l", "l",  "n",  "n", "n", "n",  "n", "n", "n", "n", "n", "o", "o", "o",  "o",  // U+0140
    "o", "o", "oe", "oe", "r", "r", "r",  "r", "r", "r", "s", "s", "s", "s", "s",  "s",  //
    "s", "s", "t",  "t",  "t", "t", "t",  "t", "u", "u", "u", "u", "u", "u", "u",  "u",  // U+0160
    "u", "u", "u",  "u",  "w", "w", "y",  "y", "y", "z", "z", "z", "z", "z", "z",  "s"};

/// The letters that a character of one or two bytes of UTF-8 stands for; a blank for what separates words.
std::string_view lettersOf(std::string_view character) {
    static constexpr std::string_view LOWER = "abcdefghijklmnopqrstuvwxyz0123456789";
    const char c = character.front();
    if (character.size() == 1) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const std::size_t at = LOWER.find(lower);
        return at == std::string_view::npos ? " " : LOWER.substr(at, 1);
    }
    if (character.size() != 2)
        return " ";
    const auto code = static_cast<char32_t>((static_cast<unsigned char>(c) & 0x1FU) << 6 |
                                            (static_cast<unsigned char>(character[1]) & 0x3FU));
    return code >= FIRST_LETTER && code <= LAST_LETTER ? BASE[code - FIRST_LETTER] : " ";
}

std::size_t lengthOf(char firstByte) {
    const auto byte = static_cast<unsigned char>(firstByte);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

} // namespace

std::string slugOf(std::string_view name) {
    std::string slug;
    while (!name.empty()) {
        const std::string_view character = name.substr(0, lengthOf(name.front()));
        name.remove_prefix(character.size());
        const std::string_view letters = lettersOf(character);
        if (letters != " ")
            slug += letters;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    if (slug.size() > MAX_SLUG)
        slug.resize(MAX_SLUG);
    while (slug.ends_with('-'))
        slug.pop_back();
    return slug;
}

} // namespace supplierd::categories
