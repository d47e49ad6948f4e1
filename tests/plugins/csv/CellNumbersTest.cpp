#include "text/CellNumbers.h"

#include "tests/support/Test.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace supplierd::tests {

namespace {

std::string decimal(const std::string& cell, char sign) {
    return csv::decimalOf(cell, sign).value_or("none");
}

std::string integer(const std::string& cell) {
    return csv::integerOf(cell).value_or("none");
}

std::string signOf(std::initializer_list<const char*> cells) {
    csv::DecimalSigns signs;
    for (const char* cell : cells)
        signs.add(cell);
    const auto sign = signs.result();
    return sign ? std::string(1, *sign) : "unsure";
}

} // namespace

class CellNumbersTest : public CppUnit::TestFixture {};

TEST(CellNumbersTest, decimalsAreReadAsPeopleWriteThem) {
    CPPUNIT_ASSERT_EQUAL(std::string("0.85"), decimal("0,85", ','));
    CPPUNIT_ASSERT_EQUAL(std::string("1234.5"), decimal("€ 1.234,5", ','));
    CPPUNIT_ASSERT_EQUAL(std::string("1234567.0850"), decimal("1,234,567.0850", '.'));
    CPPUNIT_ASSERT_EQUAL(std::string("1234.5"), decimal("1\xC2\xA0"
                                                        "234,5",
                                                        ','));
    CPPUNIT_ASSERT_EQUAL(std::string("21"), decimal("21 %", '.'));
    CPPUNIT_ASSERT_EQUAL(std::string("-3.5"), decimal("-03.5", '.'));
    CPPUNIT_ASSERT_EQUAL(std::string("0"), decimal("000", '.'));
}

TEST(CellNumbersTest, whatIsNoNumberIsNone) {
    for (const char* cell : {"", "abc", "1,2,3", "12,34.5", "1.", ".5", "1e5", "0x10", "=1+1", "--1"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(cell, std::string("none"), decimal(cell, '.'));
    CPPUNIT_ASSERT_EQUAL(std::string("none"), decimal("0.85", ','));
}

TEST(CellNumbersTest, wholeNumbersMayHaveGroupsAndEmptyPlaces) {
    CPPUNIT_ASSERT_EQUAL(std::string("1000"), integer("1.000"));
    CPPUNIT_ASSERT_EQUAL(std::string("1000"), integer("1,000"));
    CPPUNIT_ASSERT_EQUAL(std::string("12"), integer("12,00"));
    CPPUNIT_ASSERT_EQUAL(std::string("12"), integer("12.0"));
    CPPUNIT_ASSERT_EQUAL(std::string("-5"), integer("-5"));
    for (const char* cell : {"", "1,5", "1.25", "x", "1.0000x"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(cell, std::string("none"), integer(cell));
}

TEST(CellNumbersTest, decimalSignIsWhatMostNumbersSay) {
    CPPUNIT_ASSERT_EQUAL(std::string(","), signOf({"0,85", "1.234,5", "12"}));
    CPPUNIT_ASSERT_EQUAL(std::string("."), signOf({"0.85", "1,234.5", "1,234"}));
    CPPUNIT_ASSERT_EQUAL(std::string(","), signOf({"0,085"}));
    CPPUNIT_ASSERT_EQUAL(std::string(","), signOf({"1.234.567"}));
    CPPUNIT_ASSERT_EQUAL(std::string("."), signOf({"12", ""}));
    CPPUNIT_ASSERT_EQUAL(std::string("."), signOf({"1.234"}));
}

TEST(CellNumbersTest, thousandsAloneSayNothing) {
    CPPUNIT_ASSERT_EQUAL(std::string("unsure"), signOf({"1,234", "12,500"}));
    CPPUNIT_ASSERT_EQUAL(std::string(","), signOf({"1,234", "0,5"}));
}

} // namespace supplierd::tests
