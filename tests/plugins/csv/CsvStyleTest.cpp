#include "text/CsvStyle.h"

#include "tests/support/Test.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

class CsvStyleTest : public CppUnit::TestFixture {};

TEST(CsvStyleTest, formulaeAreTextAndComeBackAsTheyWere) {
    for (const char* text : {"=1+1", "+31 6 1234", "-x", "@SUM(A1)", "\tx", "\rx", "\nx", "'=1", "''=1", "'+", "＝1"}) {
        const std::string cell = csv::guarded(text);
        CPPUNIT_ASSERT_EQUAL("'" + std::string(text), cell);
        CPPUNIT_ASSERT_EQUAL(std::string(text), std::string(csv::unguarded(cell)));
    }
    for (const char* text : {"", "'", "'s-Gravenhage", "Rose = red", "a'=b", "é"}) {
        CPPUNIT_ASSERT_EQUAL(std::string(text), csv::guarded(text));
        CPPUNIT_ASSERT_EQUAL(std::string(text), std::string(csv::unguarded(text)));
    }
}

/// The sheet's list separator may be another one than the file's; quotes keep nothing together then.
TEST(CsvStyleTest, formulaeBehindOtherSeparatorsAreTextAndComeBackAsTheyWere) {
    const std::vector<std::pair<std::string, std::string>> texts = {
        {"x;=HYPERLINK(\"a\")", "x;'=HYPERLINK(\"a\")"},
        {"x,+1|-2\t@A;-", "x,'+1|'-2\t'@A;'-"},
        {"x\n=1\r\n-2", "x\n'=1\r\n'-2"},
        {"x;\"=1", "x;'\"=1"},
        {"\"=1\"", "'\"=1\""},
        {"x;'=1;''+", "x;''=1;'''+"},
        {"-1,-2", "'-1,'-2"},
        {"x;＝1", "x;'＝1"},
        {"one, two\r\n\r\nthree; four|\tfive, - six", "one, two\r\n\r\nthree; four|\tfive, - six"},
        {"it's, 's-Gravenhage; 'x'", "it's, 's-Gravenhage; 'x'"}};
    for (const auto& [text, cell] : texts) {
        CPPUNIT_ASSERT_EQUAL(cell, csv::guarded(text));
        CPPUNIT_ASSERT_EQUAL(text, csv::unguarded(cell));
    }
    std::string line;
    csv::CsvWriter(line, {',', '.'}).text("x;=1").endLine();
    CPPUNIT_ASSERT_EQUAL(std::string("x;'=1\r\n"), line);
}

TEST(CsvStyleTest, cellsAreQuotedWhereTheyHaveToBe) {
    std::string text;
    csv::CsvWriter writer(text, {';', '.'});
    writer.text("a,b").text("a;b").text("say \"x\"").text("two\nlines").text(" padded").empty().endLine();
    CPPUNIT_ASSERT_EQUAL(std::string("a,b;\"a;b\";\"say \"\"x\"\"\";\"two\nlines\";\" padded\";\r\n"), text);
}

TEST(CsvStyleTest, numbersHaveTheChosenDecimalSign) {
    std::string text;
    csv::CsvWriter writer(text, {',', ','});
    writer.number(Decimal::fromTenThousandths(8'500)).number(12).number(std::optional<Decimal>()).truth(true);
    writer.endLine();
    CPPUNIT_ASSERT_EQUAL(std::string("\"0,85\",12,,TRUE\r\n"), text);
}

TEST(CsvStyleTest, threePlacesAreNeverLeftToBeTakenForThousands) {
    std::string text;
    csv::CsvWriter(text, {';', ','}).number(Decimal::fromTenThousandths(12'340)).endLine();
    CPPUNIT_ASSERT_EQUAL(std::string("1,2340\r\n"), text);
}

} // namespace supplierd::tests
