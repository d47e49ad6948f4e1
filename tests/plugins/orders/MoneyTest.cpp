#include "Money.h"

#include "tests/support/Test.h"

namespace supplierd::tests {

using orders::LineSums;
using orders::lineTotal;

namespace {

Decimal decimal(const char* text) {
    return Decimal::parse(text).value();
}

std::string line(std::int64_t quantity, const char* unitPrice) {
    const auto total = lineTotal(quantity, decimal(unitPrice));
    return total ? total->toString() : "too much";
}

struct Line {
    const char* total;
    const char* rate;
};

/// "subtotal + vat = total"
std::string sum(const std::vector<Line>& lines) {
    LineSums sums;
    for (const Line& one : lines)
        sums.add(decimal(one.total), decimal(one.rate));
    const auto result = sums.sums();
    if (!result)
        return "too much";
    return result->subtotal.toString() + " + " + result->vatTotal.toString() + " = " + result->total.toString();
}

} // namespace

class MoneyTest : public CppUnit::TestFixture {};

TEST(MoneyTest, linesAreRoundedHalfUpToCents) {
    CPPUNIT_ASSERT_EQUAL(std::string("0.09"), line(1, "0.085"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.08"), line(1, "0.0849"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.17"), line(2, "0.085"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.26"), line(3, "0.085"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.01"), line(1, "0.005"));
    CPPUNIT_ASSERT_EQUAL(std::string("0"), line(1, "0.0049"));
    CPPUNIT_ASSERT_EQUAL(std::string("0"), line(1'000'000'000, "0"));
    CPPUNIT_ASSERT_EQUAL(std::string("100000"), line(1'000'000'000, "0.0001"));
}

TEST(MoneyTest, linesAreExactWhereDoublesAreNot) {
    CPPUNIT_ASSERT_EQUAL(std::string("1.01"), line(1, "1.005"));
    CPPUNIT_ASSERT_EQUAL(std::string("2.68"), line(1, "2.675"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.87"), line(3, "0.29"));
    CPPUNIT_ASSERT_EQUAL(std::string("9999999999.99"), line(100, "99999999.9999"));
}

TEST(MoneyTest, lineThatReachesTheLimitHasNoTotal) {
    CPPUNIT_ASSERT_EQUAL(std::string("999999999999.99"), line(1, "999999999999.99"));
    CPPUNIT_ASSERT_EQUAL(std::string("too much"), line(1, "999999999999.995"));
    CPPUNIT_ASSERT_EQUAL(std::string("too much"), line(10'000, "100000000"));
    CPPUNIT_ASSERT_EQUAL(std::string("999999999999"), line(10'000, "99999999.9999"));
    // 10^17: its ten-thousandths do not fit 64 bits.
    CPPUNIT_ASSERT_EQUAL(std::string("too much"), line(1'000'000'000, "99999999.9999"));
}

TEST(MoneyTest, vatIsReckonedOnTheSumOfARate) {
    // Line by line it would be 0.03 + 0.03 + 0.03.
    CPPUNIT_ASSERT_EQUAL(std::string("0.36 + 0.08 = 0.44"), sum({{"0.12", "21"}, {"0.12", "21"}, {"0.12", "21"}}));
    // Line by line it would be 0.01 + 0.01 = 0.02.
    CPPUNIT_ASSERT_EQUAL(std::string("0.14 + 0.01 = 0.15"), sum({{"0.07", "9"}, {"0.07", "9"}}));
}

TEST(MoneyTest, vatIsRoundedHalfUpPerRate) {
    CPPUNIT_ASSERT_EQUAL(std::string("0.5 + 0.11 = 0.61"), sum({{"0.5", "21"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("0.5 + 0.05 = 0.55"), sum({{"0.5", "9"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("1 + 0.16 = 1.16"), sum({{"0.5", "21"}, {"0.5", "9"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("10 + 2.1 = 12.1"), sum({{"10", "21"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("10 + 0 = 10"), sum({{"10", "0"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("100 + 7.77 = 107.77"), sum({{"100", "7.7654"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("0 + 0 = 0"), sum({}));
}

TEST(MoneyTest, sumsThatReachTheLimitAreNone) {
    CPPUNIT_ASSERT_EQUAL(std::string("999999999999.99 + 0 = 999999999999.99"), sum({{"999999999999.99", "0"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("too much"), sum({{"999999999999.99", "0"}, {"0.01", "0"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("too much"), sum({{"999999999999.99", "0.0001"}}));
    const std::vector<Line> many(500, Line{"999999999999.99", "100"});
    CPPUNIT_ASSERT_EQUAL(std::string("too much"), sum(many));
}

} // namespace supplierd::tests
