#include "ScriptSamples.h"

#include <algorithm>
#include <array>

namespace supplierd::tests {

namespace {

struct Script {
    char32_t first;
    char32_t last;
};

constexpr std::array<Script, 44> SCRIPTS{{
    {U'a', U'z'},       {U'A', U'Z'},       {0xc0, 0xff},     {0x100, 0x17f},   {0x180, 0x24f},     {0x370, 0x3ff},
    {0x400, 0x4ff},     {0x531, 0x587},     {0x5b0, 0x5ea},   {0x610, 0x66f},   {0x710, 0x74a},     {0x780, 0x7b1},
    {0x901, 0x970},     {0x981, 0x9f0},     {0xa01, 0xa75},   {0xa81, 0xaf1},   {0xb01, 0xb70},     {0xb82, 0xbf2},
    {0xc01, 0xc6f},     {0xc82, 0xcf2},     {0xd02, 0xd70},   {0xd82, 0xdf4},   {0xe01, 0xe5b},     {0xe81, 0xedd},
    {0xf00, 0xfc0},     {0x1000, 0x109f},   {0x10a0, 0x10ff}, {0x1100, 0x11ff}, {0x1200, 0x137c},   {0x13a0, 0x13f4},
    {0x1780, 0x17e9},   {0x1820, 0x1877},   {0x1e00, 0x1fff}, {0x3041, 0x309f}, {0x30a0, 0x30ff},   {0x4e00, 0x9fff},
    {0xa000, 0xa48c},   {0xa500, 0xa62b},   {0xa980, 0xa9df}, {0xac00, 0xd7a3}, {0x10330, 0x1034a}, {0x10400, 0x1044f},
    {0x1e900, 0x1e943}, {0x20000, 0x2a6d6},
}};

/// Ligatures and other compatibility characters, emoji, marks, characters without weight, digits and signs.
constexpr std::array<Script, 16> OTHERS{{
    {0xfb00, 0xfb06},
    {0xfdf0, 0xfdfb},
    {0x3380, 0x33df},
    {0x2150, 0x2189},
    {0xff01, 0xff5e},
    {0x1f300, 0x1f64f},
    {0x2600, 0x27bf},
    {0x300, 0x36f},
    {0x200b, 0x200f},
    {0xad, 0xad},
    {0xfe00, 0xfe0f},
    {U'0', U'9'},
    {U'!', U'/'},
    {U'[', U'`'},
    {U'{', U'~'},
    {0x9, 0x9},
}};

constexpr std::u32string_view FAVOURITES =
    U"\u00df\u1e9e\u00e6\u00c6\u00f8\u0142\u0131\u0130I\u00e9\u0301\u0153\u2026%_|\\";

void append(std::string& text, char32_t character) {
    const auto byte = [&text](char32_t value) { text += static_cast<char>(value); };
    if (character < 0x80) {
        byte(character);
        return;
    }
    if (character < 0x800) {
        byte(0xc0 | character >> 6U);
    } else {
        if (character < 0x10000) {
            byte(0xe0 | character >> 12U);
        } else {
            byte(0xf0 | character >> 18U);
            byte(0x80 | (character >> 12U & 0x3fU));
        }
        byte(0x80 | (character >> 6U & 0x3fU));
    }
    byte(0x80 | (character & 0x3fU));
}

} // namespace

std::string ScriptSamples::name() {
    const std::size_t script = number(SCRIPTS.size() - 1);
    const std::size_t second = number(1) == 0 ? script : number(SCRIPTS.size() - 1);
    std::string text;
    // Names are stored without blanks around them.
    append(text, letter(script));
    for (std::uint32_t i = 1 + number(10); i > 0; --i) {
        const std::uint32_t kind = number(19);
        append(text, kind == 0 ? U' ' : kind == 1 ? anything() : kind < 8 ? letter(second) : letter(script));
    }
    append(text, letter(script));
    return text;
}

std::string ScriptSamples::sku() {
    std::string text;
    for (std::uint32_t i = 1 + number(7); i > 0; --i)
        append(text, number(4) == 0 ? letter(0) : U'0' + number(9));
    return text;
}

std::string ScriptSamples::term(const std::string& text) {
    auto characters = charactersOf(text);
    const std::size_t first = number(static_cast<std::uint32_t>(characters.size() - 1));
    const std::size_t count = std::min<std::size_t>(1 + number(3), characters.size() - first);
    characters = {characters.begin() + static_cast<std::ptrdiff_t>(first),
                  characters.begin() + static_cast<std::ptrdiff_t>(first + count)};
    std::string other;
    append(other, number(2) == 0 ? letter(number(SCRIPTS.size() - 1)) : anything());
    const std::size_t place = number(static_cast<std::uint32_t>(count - 1));
    const std::uint32_t kind = number(9);
    if (kind == 0)
        characters[place] = other;
    else if (kind == 1)
        characters.insert(characters.begin() + static_cast<std::ptrdiff_t>(place), other);
    else if (kind == 2 && characters.size() > 1)
        characters.erase(characters.begin() + static_cast<std::ptrdiff_t>(place));
    std::string term;
    for (const std::string& character : characters)
        term += character.size() == 1 && number(1) == 0 && character >= "a" && character <= "z"
                    ? std::string(1, static_cast<char>(character[0] - 'a' + 'A'))
                    : character;
    return term;
}

char32_t ScriptSamples::letter(std::size_t script) {
    const auto& [first, last] = SCRIPTS[script];
    // Few of each, so that names have something in common.
    const auto width = std::min<std::uint32_t>(last - first, script % 3 == 0 ? 11U : 400U);
    return first + number(width);
}

char32_t ScriptSamples::anything() {
    if (number(2) == 0)
        return FAVOURITES[number(static_cast<std::uint32_t>(FAVOURITES.size() - 1))];
    const auto& [first, last] = OTHERS[number(OTHERS.size() - 1)];
    return first + number(last - first);
}

std::vector<std::string> charactersOf(std::string_view text) {
    std::vector<std::string> characters;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U)
            characters.emplace_back();
        characters.back() += c;
    }
    return characters;
}

} // namespace supplierd::tests
