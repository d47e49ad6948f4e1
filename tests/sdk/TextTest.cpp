#include "tests/support/Test.h"

#include <supplierd/Validation.h>

namespace supplierd::tests {

class TextTest : public CppUnit::TestFixture {
protected:
    static std::string encoded(unsigned codePoint) {
        std::string text;
        const auto add = [&text](unsigned byte) { text += static_cast<char>(byte); };
        if (codePoint < 0x80) {
            add(codePoint);
        } else if (codePoint < 0x800) {
            add(0xC0U | codePoint >> 6U);
            add(0x80U | (codePoint & 0x3FU));
        } else if (codePoint < 0x10000) {
            add(0xE0U | codePoint >> 12U);
            add(0x80U | (codePoint >> 6U & 0x3FU));
            add(0x80U | (codePoint & 0x3FU));
        } else {
            add(0xF0U | codePoint >> 18U);
            add(0x80U | (codePoint >> 12U & 0x3FU));
            add(0x80U | (codePoint >> 6U & 0x3FU));
            add(0x80U | (codePoint & 0x3FU));
        }
        return text;
    }
};

TEST(TextTest, codePointsAreCounted) {
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, codePoints(""));
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, codePoints("rose"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, codePoints("é€💐"));
}

TEST(TextTest, whiteSpaceIsTrimmedAtBothEndsOnly) {
    CPPUNIT_ASSERT(trimmed("").empty());
    CPPUNIT_ASSERT(trimmed(" \t\r\n\u0085\u00A0\u2003\u2028\u202F\u3000").empty());
    CPPUNIT_ASSERT(trimmed("\u3000a b\u00A0") == "a b");
    CPPUNIT_ASSERT(trimmed("💐") == "💐");
    CPPUNIT_ASSERT(trimmed(" 💐 ") == "💐");
    CPPUNIT_ASSERT(trimmed("\u200Bx\uFEFF") == "\u200Bx\uFEFF"); // no white space by Unicode's list
    CPPUNIT_ASSERT(trimmed("\x80\x80 ") == "\x80\x80");
}

TEST(TextTest, whatNobodySeesIsNothing) {
    for (const char* blank : {"\u200B", "\u200B \u2060", " \u00AD\uFEFF ", "\u3164\u3164", "\u202E\U000E0020"})
        CPPUNIT_ASSERT_MESSAGE(blank, trimmed(blank).empty());
    CPPUNIT_ASSERT(trimmed(" \u200Bx ") == "\u200Bx");
    CPPUNIT_ASSERT(trimmed("\x01") == "\x01");
}

TEST(TextTest, utf8IsJudged) {
    for (const char* text : {"", "rose", "é€💐", "\uFFFF", "\U0010FFFF"})
        CPPUNIT_ASSERT(isValidUtf8(text));
    for (const char* bytes : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
                              "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE",
                              "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x92", "a\xE2\x82z", "\xC3\xC3"})
        CPPUNIT_ASSERT(!isValidUtf8(bytes));
}

TEST(TextTest, everyCodePointIsValidAndNoSurrogateIs) {
    for (unsigned codePoint = 0; codePoint <= 0x10FFFF; ++codePoint) {
        const bool surrogate = codePoint >= 0xD800 && codePoint <= 0xDFFF;
        CPPUNIT_ASSERT_EQUAL(!surrogate, isValidUtf8(encoded(codePoint)));
    }
}

TEST(TextTest, emailHasSomethingOnBothSidesOfItsAt) {
    for (const char* text : {"a@b", "orders@bloemen.example", "é@ë", "\"a@b\"@c"})
        CPPUNIT_ASSERT_MESSAGE(text, looksLikeEmail(text));
    for (const char* text : {"", "@", "nomail", "a@", "@b", "a b@c", "a@b\tc", "a@b\x7f"})
        CPPUNIT_ASSERT_MESSAGE(text, !looksLikeEmail(text));
}

} // namespace supplierd::tests
