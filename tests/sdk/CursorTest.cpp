#include "tests/support/Test.h"

#include <supplierd/Cursor.h>

#include <limits>

namespace supplierd::tests {

class CursorTest : public CppUnit::TestFixture {
protected:
    static CursorParts someParts() {
        return {0xFEDCBA9876543210U,
                {0, -1, 7, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
                "Rosé. 💐"};
    }

    /// What takes the place of a cursor's bytes, in its clothes.
    static std::string dressed(std::string_view bytes) {
        static constexpr std::string_view ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        std::string text;
        for (std::size_t i = 0; i < bytes.size(); i += 3) {
            unsigned bits = 0;
            for (std::size_t k = 0; k < 3; ++k)
                bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
            for (std::size_t k = 0; k < 4 && i + k <= bytes.size(); ++k)
                text += ALPHABET[bits >> (18U - 6U * k) & 63U];
        }
        return text;
    }
};

TEST(CursorTest, partsComeBackAsTheyWere) {
    for (const std::string& key : {std::string(), std::string("x"), std::string("xy"), std::string("xyz"),
                                   std::string("a.b.c"), std::string("\xff\0\n", 3), someParts().key}) {
        CursorParts parts = someParts();
        parts.key = key;
        const auto back = CursorParts::decode(parts.encode(), parts.numbers.size());
        CPPUNIT_ASSERT(back.has_value());
        CPPUNIT_ASSERT_EQUAL(parts.fingerprint, back->fingerprint);
        CPPUNIT_ASSERT(parts.numbers == back->numbers);
        CPPUNIT_ASSERT_EQUAL(key, back->key);
    }
    CPPUNIT_ASSERT(CursorParts::decode(CursorParts{}.encode(), 0).has_value());
}

TEST(CursorTest, textFitsIntoAQuery) {
    CPPUNIT_ASSERT(someParts().encode().find_first_not_of(
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos);
}

TEST(CursorTest, aCursorOfOtherNumbersIsNone) {
    const CursorParts parts{5, {1, 2}, ""};
    CPPUNIT_ASSERT(CursorParts::decode(parts.encode(), 2).has_value());
    CPPUNIT_ASSERT(!CursorParts::decode(parts.encode(), 3).has_value());
}

TEST(CursorTest, everyCursorHasOneSpelling) {
    const std::string text = someParts().encode();
    const std::size_t numbers = someParts().numbers.size();
    CPPUNIT_ASSERT(CursorParts::decode(text, numbers).has_value());
    for (const std::string& other : {text + "A", text + "=", text + " ", " " + text, text.substr(1)})
        CPPUNIT_ASSERT_MESSAGE(other, !CursorParts::decode(other, numbers).has_value());
    CPPUNIT_ASSERT_EQUAL(CursorParts({1, {2}, "k"}).encode(), dressed("1.1.2.k"));
    // "MS4xLjIuaw" has four bits to spare.
    CPPUNIT_ASSERT_EQUAL(std::string("MS4xLjIuaw"), dressed("1.1.2.k"));
    CPPUNIT_ASSERT(!CursorParts::decode("MS4xLjIuax", 1).has_value());
}

TEST(CursorTest, forgedTextsAreNone) {
    for (const char* bytes :
         {"", "1", "1.", "2.1.2.k", "1.1.2", "1.1.02.k", "1.01.2.k", "1.1.+2.k", "1.1. 2.k", "1.1.2x.k",
          "1.1.9223372036854775808.k", "1.1FFFFFFFFFFFFFFFF.2.k", "1.-1.2.k", "1.g.2.k", "1.A.2.k", "1.1..k"})
        CPPUNIT_ASSERT_MESSAGE(bytes, !CursorParts::decode(dressed(bytes), 1).has_value());
    CPPUNIT_ASSERT(CursorParts::decode(dressed("1.a.2.k"), 1).has_value());
    for (const char* text : {"*", "MS4x LjIu", "MS4xLjIuaw==", "é"})
        CPPUNIT_ASSERT_MESSAGE(text, !CursorParts::decode(text, 1).has_value());
}

TEST(CursorTest, fingerprintTellsListsApart) {
    ListFingerprint empty;
    ListFingerprint ab;
    ab.add("a");
    ab.add("b");
    ListFingerprint joined;
    joined.add("ab");
    ListFingerprint shifted;
    shifted.add("");
    shifted.add("ab");
    ListFingerprint number;
    number.add(std::int64_t{-1});
    ListFingerprint same;
    same.add("-1");
    CPPUNIT_ASSERT(ab.value() != joined.value());
    CPPUNIT_ASSERT(joined.value() != shifted.value());
    CPPUNIT_ASSERT(empty.value() != number.value());
    CPPUNIT_ASSERT_EQUAL(number.value(), same.value());
}

TEST(CursorTest, databaseTimesHaveTheirForm) {
    CPPUNIT_ASSERT(hasFormOfDatabaseTime("2026-11-20 14:48:00.123456"));
    for (const char* text :
         {"", "2026-11-20 14:48:00", "2026-11-20T14:48:00.123456", "2026-11-20 14:48:00.12345",
          "2026-11-20 14:48:00.1234567", "2026-11-20 14:48:00.12345x", "' OR 1=1 -- 2026-11-20.1234"})
        CPPUNIT_ASSERT_MESSAGE(text, !hasFormOfDatabaseTime(text));
}

} // namespace supplierd::tests
