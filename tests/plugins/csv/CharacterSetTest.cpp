#include "text/CharacterSet.h"

#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

using csv::CharacterSet;

namespace {

CharacterSet found(const std::string& bytes, std::size_t piece = 3) {
    csv::CharacterSetScan scan;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        scan.add(std::string_view(bytes).substr(at, piece));
    return scan.result();
}

std::string decoded(const std::string& bytes, CharacterSet set, std::size_t piece) {
    csv::Decoder decoder(set);
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        text += decoder.decode(std::string_view(bytes).substr(at, piece));
    return text;
}

std::string utf16(const std::u16string& text, bool isBigEndian) {
    std::string bytes;
    for (const char16_t unit : text) {
        const char high = static_cast<char>(unit >> 8);
        const char low = static_cast<char>(unit & 0xFF);
        bytes += isBigEndian ? high : low;
        bytes += isBigEndian ? low : high;
    }
    return bytes;
}

const std::u16string ROSES = u"\uFEFFsku;naam\r\nA;Rozé €💐\r\n";
const std::string ROSES_UTF8 = "sku;naam\r\nA;Rozé €💐\r\n";

} // namespace

class CharacterSetTest : public CppUnit::TestFixture {};

TEST(CharacterSetTest, byteOrderMarkSaysWhichItIs) {
    CPPUNIT_ASSERT(found("\xEF\xBB\xBFsku") == CharacterSet::Utf8);
    CPPUNIT_ASSERT(found(utf16(ROSES, false)) == CharacterSet::Utf16Le);
    CPPUNIT_ASSERT(found(utf16(ROSES, true)) == CharacterSet::Utf16Be);
}

TEST(CharacterSetTest, utf16IsKnownByItsZeros) {
    CPPUNIT_ASSERT(found(utf16(ROSES.substr(1), false)) == CharacterSet::Utf16Le);
    CPPUNIT_ASSERT(found(utf16(ROSES.substr(1), true)) == CharacterSet::Utf16Be);
}

TEST(CharacterSetTest, textOfAccentsIsUtf8OrElseWindows1252) {
    CPPUNIT_ASSERT(found("Rozé 💐", 1) == CharacterSet::Utf8);
    CPPUNIT_ASSERT(found("Roz\xE9 \x80 1") == CharacterSet::Windows1252);
}

TEST(CharacterSetTest, oneWrongByteAtTheEndMakesItWindows1252) {
    CPPUNIT_ASSERT(found(std::string(100'000, 'x') + "\xC3\xA9 Roz\xE9", 1'000) == CharacterSet::Windows1252);
    CPPUNIT_ASSERT(found(std::string(100'000, 'x') + "\xC3\xA9 Roz\xC3\xA9", 1'000) == CharacterSet::Utf8);
}

TEST(CharacterSetTest, zerosWithinTextAreNoUtf16) {
    CPPUNIT_ASSERT(found(std::string("sku,name\nA,Ro\0se\nB,\0\n", 22)) == CharacterSet::Utf8);
}

TEST(CharacterSetTest, everySetIsDecodedInPiecesOfAnySize) {
    for (const std::size_t piece : {1, 2, 3, 7, 1'000}) {
        CPPUNIT_ASSERT_EQUAL(ROSES_UTF8, decoded("\xEF\xBB\xBF" + ROSES_UTF8, CharacterSet::Utf8, 1'000));
        CPPUNIT_ASSERT_EQUAL(ROSES_UTF8, decoded(utf16(ROSES, false), CharacterSet::Utf16Le, piece));
        CPPUNIT_ASSERT_EQUAL(ROSES_UTF8, decoded(utf16(ROSES, true), CharacterSet::Utf16Be, piece));
        CPPUNIT_ASSERT_EQUAL(std::string("Rozé € “x”"),
                             decoded("Roz\xE9 \x80 \x93x\x94", CharacterSet::Windows1252, piece));
    }
}

TEST(CharacterSetTest, whatIsNoCharacterIsReplaced) {
    const std::u16string lone{u'a', char16_t{0xDC00}, u'b'};
    CPPUNIT_ASSERT_EQUAL(std::string("a\xEF\xBF\xBD"
                                     "b"),
                         decoded(utf16(lone, false), CharacterSet::Utf16Le, 10));
}

} // namespace supplierd::tests
