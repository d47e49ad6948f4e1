#include "tests/support/Test.h"

#include <supplierd/Decimal.h>

#include <limits>

namespace CppUnit {
template <>
struct assertion_traits<supplierd::Decimal::ParseError> {
    static bool equal(supplierd::Decimal::ParseError a, supplierd::Decimal::ParseError b) { return a == b; }
    static std::string toString(supplierd::Decimal::ParseError e) { return std::to_string(static_cast<int>(e)); }
};
} // namespace CppUnit

namespace supplierd::tests {

class DecimalTest : public CppUnit::TestFixture {
protected:
    using Error = Decimal::ParseError;

    static std::string printed(std::string_view text) {
        const std::optional<Decimal> number = Decimal::parse(text);
        return number ? number->toString() : "refused";
    }

    static Error errorOf(std::string_view text) {
        Error error = Error::None;
        const bool parsed = Decimal::parse(text, &error).has_value();
        CPPUNIT_ASSERT_EQUAL(error == Error::None, parsed);
        return error;
    }
};

TEST(DecimalTest, pricesAreExactAndPrintedInShortestForm) {
    CPPUNIT_ASSERT_EQUAL(std::string("0.29"), printed("0.29"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.085"), printed("0.0850"));
    CPPUNIT_ASSERT_EQUAL(std::string("19.9"), printed("19.90"));
    CPPUNIT_ASSERT_EQUAL(std::string("12"), printed("12"));
    CPPUNIT_ASSERT_EQUAL(std::string("12"), printed("12.0000"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.0001"), printed("0.0001"));
    CPPUNIT_ASSERT_EQUAL(std::string("-1.5"), printed("-1.5"));
    CPPUNIT_ASSERT_EQUAL(std::string("-0.0001"), printed("-0.0001"));
    CPPUNIT_ASSERT_EQUAL(std::string("99999999.9999"), printed("99999999.9999"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{850}, Decimal::parse("0.0850")->tenThousandths());
}

TEST(DecimalTest, exponentsAreRead) {
    CPPUNIT_ASSERT_EQUAL(std::string("100"), printed("1e2"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.0001"), printed("1e-4"));
    CPPUNIT_ASSERT_EQUAL(std::string("0.0001"), printed("10e-5"));
    CPPUNIT_ASSERT_EQUAL(std::string("12.5"), printed("1.25E+1"));
    CPPUNIT_ASSERT_EQUAL(std::string("12"), printed("0.00012e5"));
    CPPUNIT_ASSERT_EQUAL(std::string("0"), printed("0e-99999999999999999999"));
}

TEST(DecimalTest, minusZeroIsZero) {
    CPPUNIT_ASSERT_EQUAL(std::string("0"), printed("-0"));
    CPPUNIT_ASSERT_EQUAL(std::string("0"), printed("-0.000"));
    CPPUNIT_ASSERT(*Decimal::parse("-0") == Decimal());
}

TEST(DecimalTest, whatIsNoJsonNumberIsMalformed) {
    for (const char* text : {"",   "-",  "1.",  ".5",    "+1",  "01",  "00",       "1e",    "1e+",   "e5", "0x1",
                             "1 ", " 1", "1,5", "1.2.3", "--1", "NaN", "Infinity", "\"5\"", "1e5.0", "١"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, Error::Malformed, errorOf(text));
    CPPUNIT_ASSERT_EQUAL(Error::Malformed, errorOf(std::string_view("1\0", 2)));
}

TEST(DecimalTest, fifthPlaceIsRefusedUnlessZero) {
    CPPUNIT_ASSERT_EQUAL(Error::TooManyPlaces, errorOf("1e-5"));
    CPPUNIT_ASSERT_EQUAL(Error::TooManyPlaces, errorOf("0.00001"));
    CPPUNIT_ASSERT_EQUAL(Error::TooManyPlaces, errorOf("1.23456"));
    CPPUNIT_ASSERT_EQUAL(Error::None, errorOf("1.23450"));
    CPPUNIT_ASSERT_EQUAL(Error::None, errorOf("1.234500000000000000000000"));
}

TEST(DecimalTest, valuesBeyondTheLimitAreOutOfRange) {
    CPPUNIT_ASSERT_EQUAL(std::string("100000000000000"), printed("100000000000000"));
    CPPUNIT_ASSERT_EQUAL(std::string("-100000000000000"), printed("-1e14"));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("100000000000000.0001"));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("12345678901234567890"));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("-12345678901234567890"));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("18446744073709551617"));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("1e15"));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("1e400"));
}

TEST(DecimalTest, endlessDigitsAndExponentsAreHandled) {
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf(std::string(5000, '9')));
    CPPUNIT_ASSERT_EQUAL(Error::OutOfRange, errorOf("1e99999999999999999999999"));
    CPPUNIT_ASSERT_EQUAL(Error::TooManyPlaces, errorOf("1e-99999999999999999999999"));
    CPPUNIT_ASSERT_EQUAL(Error::TooManyPlaces, errorOf("0." + std::string(5000, '0') + "1"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), printed("0." + std::string(4999, '0') + "1e5000"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), printed("1" + std::string(5000, '0') + "e-5000"));
}

TEST(DecimalTest, extremesPrint) {
    CPPUNIT_ASSERT_EQUAL(std::string("-922337203685477.5808"),
                         Decimal::fromTenThousandths(std::numeric_limits<std::int64_t>::min()).toString());
    CPPUNIT_ASSERT_EQUAL(std::string("922337203685477.5807"),
                         Decimal::fromTenThousandths(std::numeric_limits<std::int64_t>::max()).toString());
}

TEST(DecimalTest, orderIsByValue) {
    CPPUNIT_ASSERT(*Decimal::parse("0.29") < *Decimal::parse("0.3"));
    CPPUNIT_ASSERT(*Decimal::parse("-2") < *Decimal::parse("-1.9999"));
    CPPUNIT_ASSERT(*Decimal::parse("12.50") == *Decimal::parse("12.5"));
    CPPUNIT_ASSERT(Decimal::fromInteger(3) == *Decimal::parse("3"));
}

TEST(DecimalTest, everyFourPlaceFractionComesBack) {
    for (std::int64_t value = -20'000; value <= 20'000; ++value) {
        const Decimal number = Decimal::fromTenThousandths(value);
        CPPUNIT_ASSERT(Decimal::parse(number.toString()) == number);
    }
}

} // namespace supplierd::tests
