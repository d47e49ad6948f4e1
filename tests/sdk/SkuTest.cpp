#include "tests/support/Test.h"

#include <supplierd/Sku.h>
#include <supplierd/Validation.h>

#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

namespace {

std::string encoded(char32_t c) {
    std::string text;
    const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
    if (c < 0x80) {
        add(c);
    } else if (c < 0x800) {
        add(0xC0U | c >> 6U);
        add(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
        add(0xE0U | c >> 12U);
        add(0x80U | (c >> 6U & 0x3FU));
        add(0x80U | (c & 0x3FU));
    } else {
        add(0xF0U | c >> 18U);
        add(0x80U | (c >> 12U & 0x3FU));
        add(0x80U | (c >> 6U & 0x3FU));
        add(0x80U | (c & 0x3FU));
    }
    return text;
}

template <class Work>
void forEveryCharacter(Work work) {
    for (char32_t c = 1; c <= 0x10FFFF; ++c)
        if (c < 0xD800 || c > 0xDFFF)
            work(c);
}

} // namespace

class SkuTest : public CppUnit::TestFixture {};

TEST(SkuTest, caseAndCompositionMakeNoDifference) {
    const std::vector<std::pair<const char*, const char*>> same{
        {"Rose-60", "rOSE-60"},
        {"ROSE-\u00C9", "rose-e\u0301"},
        {"\u01D5", "u\u0308\u0304"},        // two marks, in one code point or in three
        {"a\u0323\u0307", "a\u0307\u0323"}, // marks that do not touch, in either order
        {"STRASSE", "straße"},              // full folding
        {"\u1E9E", "ss"},                   // capital sharp s
        {"ΣΊΣΥΦΟΣ", "σίσυφος"},             // final sigma
        {"\u1F80", "\u1F88"},               // alpha with iota below, and beside it
        {"\u03B1\u0345\u0301", "\u03B1\u0301\u0345"},
        {"\uFB03", "FFI"},
        {"\uAC00", "\u1100\u1161"},   // Hangul, whole and in letters
        {"\u212A", "k"},              // Kelvin
        {"\u1C90", "\u10D0"},         // Georgian capitals
        {"\U0001E900", "\U0001E922"}, // Adlam
    };
    for (const auto& [one, other] : same)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(one, skuKey(one), skuKey(other));
}

TEST(SkuTest, everythingElseMakesOne) {
    const std::vector<std::pair<const char*, const char*>> different{
        {"ROSE-E", "ROSE-É"}, {"BOX1", "BOX①"}, {"か-1", "が-1"}, {"か", "カ"},        {"カ", "ｶ"},
        {"A", "Ａ"},          {"x²", "x2"},     {"A B", "AB"},    {"A B", "A\u00A0B"}, {"A-B", "A‐B"},
        {"A\x01", "A"},       {"💐", "🌹"},       {"A\u200B", "A"}, {"ı", "i"},          {"ø", "o"},
        {"œ", "oe"},          {"µm", "mm"},     {"1", "١"},       {"A", "А"},          {"é", "è"},
    };
    for (const auto& [one, other] : different)
        CPPUNIT_ASSERT_MESSAGE(std::string(one) + " and " + other, skuKey(one) != skuKey(other));
}

TEST(SkuTest, aKeyIsItsOwnKey) {
    forEveryCharacter([](char32_t c) {
        const std::string key = skuKey(encoded(c));
        if (skuKey(key) != key)
            CPPUNIT_FAIL("the key of U+" + std::to_string(static_cast<unsigned>(c)));
    });
}

/// The database's column is made for it.
TEST(SkuTest, aKeyHasAtMostThreeCharactersForEachOfTheSku) {
    std::size_t most = 0;
    forEveryCharacter([&most](char32_t c) { most = std::max(most, codePoints(skuKey(encoded(c)))); });
    CPPUNIT_ASSERT_EQUAL(MAX_KEY_GROWTH, most);
    std::string sku;
    for (int i = 0; i < 64; ++i)
        sku += "\u1F82";
    CPPUNIT_ASSERT(codePoints(skuKey(sku)) <= 64 * MAX_KEY_GROWTH);
}

TEST(SkuTest, noKeyBeginsOrEndsWithWhiteSpace) {
    forEveryCharacter([](char32_t c) {
        const std::string character = encoded(c);
        if (trimmed(character).empty())
            return;
        const std::string key = skuKey(character);
        if (trimmed(key) != key)
            CPPUNIT_FAIL("the key of U+" + std::to_string(static_cast<unsigned>(c)));
    });
}

TEST(SkuTest, invisibleCharactersAreFound) {
    for (const char* invisible :
         {"\u00AD", "\u034F", "\u061C",     "\u115F",     "\u17B4",     "\u180E",     "\u200B",
          "\u200D", "\u202E", "\u2060",     "\u2065",     "\u3164",     "\uFE0F",     "\uFEFF",
          "\uFFA0", "\uFFF0", "\U0001D173", "\U000E0001", "\U000E0041", "\U000E0100", "\U000E0FFF"})
        CPPUNIT_ASSERT_MESSAGE(invisible, hasInvisibleCharacter("RO" + std::string(invisible) + "SE"));
    for (const char* visible : {"", "ROSE-60 é 💐", "\x01\x1F", "\u0301", "\u2800", "日本", "\U0010FFFF"})
        CPPUNIT_ASSERT_MESSAGE(visible, !hasInvisibleCharacter(visible));
}

} // namespace supplierd::tests
