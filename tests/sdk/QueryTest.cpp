#include "tests/support/Test.h"

#include <supplierd/Query.h>

#include <array>
#include <limits>

namespace supplierd::tests {

class QueryTest : public CppUnit::TestFixture {
protected:
    Details details;

    QueryParameters parse(std::string_view raw) {
        details = Details();
        return parseQuery(raw, details);
    }

    std::string problems() const {
        std::string text;
        for (const Detail& detail : details.entries())
            text += (text.empty() ? "" : ", ") + detail.field + " " + detail.code;
        return text;
    }

    std::string timeOf(std::string_view raw) {
        const QueryParameters parameters = parse("t=" + std::string(raw));
        return QueryReader(parameters, details).time("t").value_or("refused");
    }
};

TEST(QueryTest, queryIsSplitAndDecoded) {
    const QueryParameters parameters = parse("a=1&b=x%20y+z&&c&d=&e=%F0%9F%92%90&f%3D=1=2%26&a%2B=%2B");
    const QueryParameters expected{{"a", "1"}, {"b", "x y z"}, {"c", ""},  {"d", ""},
                                   {"e", "💐"}, {"f=", "1=2&"}, {"a+", "+"}};
    CPPUNIT_ASSERT(expected == parameters);
    CPPUNIT_ASSERT(details.empty());
    CPPUNIT_ASSERT(parse("").empty());
    CPPUNIT_ASSERT(parse("&&&").empty());
}

TEST(QueryTest, badEscapesAndBadUtf8AreNamed) {
    const QueryParameters parameters = parse("a=%zz&b=%4&c=%&d=%00&e=%FF&f=ok&g=%ED%A0%80&%zz=1&h=\xE9");
    CPPUNIT_ASSERT((QueryParameters{{"f", "ok"}}) == parameters);
    CPPUNIT_ASSERT_EQUAL(std::string("a type, b type, c type, d type, e type, g type,  type, h type"), problems());
    CPPUNIT_ASSERT_EQUAL(std::string("d must be percent-encoded UTF-8 without U+0000"), details.entries()[3].message);
}

TEST(QueryTest, aListIsSeparatedByPlainCommasOnly) {
    using Values = std::vector<std::string>;
    CPPUNIT_ASSERT((Values{"A", "B,1", "C"}) == listValues("x=1&tags=A,B%2C1,C&y=2", "tags"));
    CPPUNIT_ASSERT((Values{"A,B"}) == listValues("tags=A%2cB", "tags"));
    CPPUNIT_ASSERT((Values{"ä b", "=&"}) == listValues("t%61gs=%C3%A4+b,%20%3D%26%20", "tags"));
    CPPUNIT_ASSERT((Values{"A", ","}) == listValues("tags=,A,,+,%2C,%zz,%FF", "tags"));
    CPPUNIT_ASSERT((Values{"A"}) == listValues("tags=A&tags=B", "tags"));
    for (const char* none : {"", "tags", "tags=", "tags=,", "tag=A", "&&", "%zz=A", "x=tags=A"})
        CPPUNIT_ASSERT_MESSAGE(none, listValues(none, "tags").empty());
}

TEST(QueryTest, parameterGivenTwiceIsADuplicateReportedOnce) {
    const QueryParameters parameters = parse("page=1&page=2&x=1&x=1");
    QueryReader query(parameters, details);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, query.page().number);
    CPPUNIT_ASSERT(!query.integer("page", 1));
    CPPUNIT_ASSERT(!query.text("x", 10));
    CPPUNIT_ASSERT_EQUAL(std::string("page duplicate, x duplicate"), problems());
}

TEST(QueryTest, emptyTextCountsAsAbsentAndEmptyNumbersAreWrong) {
    const QueryParameters parameters = parse("a=&b=1&c=%20");
    QueryReader query(parameters, details);
    CPPUNIT_ASSERT(!query.text("a", 10));
    CPPUNIT_ASSERT(!query.text("c", 10));
    CPPUNIT_ASSERT(!query.has("a") && query.has("b") && !query.has("z"));
    CPPUNIT_ASSERT(details.empty());
    CPPUNIT_ASSERT(!query.integer("a", 1));
    CPPUNIT_ASSERT_EQUAL(std::string("a type"), problems());
}

TEST(QueryTest, integersAreStrict) {
    const QueryParameters parameters = parse("a=5&b=5.0&c=x&d=%2B5&e=-1&f=99999999999999999999&g=11&h=5x&i=0x5&j=-");
    QueryReader query(parameters, details);
    CPPUNIT_ASSERT(query.integer("a", 1, 10) == 5);
    for (const char* name : {"b", "c", "d", "e", "f", "g", "h", "i", "j"})
        CPPUNIT_ASSERT(!query.integer(name, 1, 10));
    CPPUNIT_ASSERT_EQUAL(std::string("b type, c type, d type, e out_of_range, f out_of_range, g out_of_range, "
                                     "h type, i type, j type"),
                         problems());
    CPPUNIT_ASSERT_EQUAL(std::string("b must be an integer from 1 to 10"), details.entries()[0].message);
}

TEST(QueryTest, textIsTrimmedAndLimited) {
    const QueryParameters parameters = parse("a=%20rose%20&b=%F0%9F%92%90%F0%9F%92%90&c=abc");
    QueryReader query(parameters, details);
    CPPUNIT_ASSERT(query.text("a", 4) == "rose");
    CPPUNIT_ASSERT(query.text("b", 2) == "💐💐");
    CPPUNIT_ASSERT(!query.text("c", 2));
    CPPUNIT_ASSERT_EQUAL(std::string("c too_long"), problems());
}

TEST(QueryTest, setsAndBooleansAreStrict) {
    static constexpr std::array<std::string_view, 2> STATES{"active", "pending"};
    const QueryParameters parameters = parse("a=active&b=Active&c=true&d=false&e=1&f=TRUE&g=%20active%20&h=%20");
    QueryReader query(parameters, details);
    CPPUNIT_ASSERT(query.oneOf("a", STATES) == "active");
    CPPUNIT_ASSERT(query.oneOf("g", STATES) == "active");
    CPPUNIT_ASSERT(!query.oneOf("b", STATES));
    CPPUNIT_ASSERT(query.boolean("c") == true);
    CPPUNIT_ASSERT(query.boolean("d") == false);
    CPPUNIT_ASSERT(!query.boolean("e"));
    CPPUNIT_ASSERT(!query.boolean("f"));
    CPPUNIT_ASSERT(!query.oneOf("h", STATES));
    CPPUNIT_ASSERT_EQUAL(std::string("b not_in_set, e not_in_set, f not_in_set, h not_in_set"), problems());
    CPPUNIT_ASSERT_EQUAL(std::string("b must be one of active, pending"), details.entries()[0].message);
}

TEST(QueryTest, timesBecomeUtc) {
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20 14:48:00.000000"), timeOf("2026-11-20T14:48:00Z"));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20 13:48:00.000000"), timeOf("2026-11-20T14:48:00%2B01:00"));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-11-20 13:48:00.000000"), timeOf("2026-11-20T14:48:00+01:00"));
    CPPUNIT_ASSERT_EQUAL(std::string("2026-12-31 23:59:59.500000"), timeOf("2026-12-31T18:29:59.5-0530"));
    CPPUNIT_ASSERT_EQUAL(std::string("2027-01-01 04:00:00.000000"), timeOf("2026-12-31T20:00:00-08:00"));
    CPPUNIT_ASSERT_EQUAL(std::string("2024-02-29 00:00:00.123456"), timeOf("2024-02-29T00:00:00.1234569999Z"));
    for (const char* early : {"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0999-12-31T23:59:59.999999Z"})
        CPPUNIT_ASSERT_EQUAL(std::string("1000-01-01 00:00:00.000000"), timeOf(early));
    CPPUNIT_ASSERT_EQUAL(std::string("9999-12-31 23:59:59.999999"), timeOf("9999-12-31T23:59:59-01:00"));
}

TEST(QueryTest, whatIsNoTimeIsRefused) {
    for (const char* text :
         {"yesterday", "2026-11-20", "2026-11-20T14:48:00", "2026-11-20 14:48:00Z", "2026-13-01T00:00:00Z",
          "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T14:60:00Z",
          "2026-11-20T14:48:61Z", "2026-11-20T14:48:00.Z", "2026-11-20T14:48:00Zx", "2026-11-20T14:48:00%2B25:00",
          "0000-00-00T00:00:00Z", "26-11-20T14:48:00Z", "2026-11-20T14:48Z"}) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::string("refused"), timeOf(text));
        CPPUNIT_ASSERT_EQUAL(std::string("t type"), problems());
    }
}

TEST(QueryTest, pageHasDefaultsAndClampsItsSize) {
    const QueryParameters none = parse("");
    const Page first = QueryReader(none, details).page();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, first.number);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, first.perPage);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, first.offset());
    for (const char* raw : {"page=3&per_page=101", "page=3&per_page=100", "page=3&per_page=99999999999999999999"}) {
        const QueryParameters parameters = parse(raw);
        const Page page = QueryReader(parameters, details).page();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, page.perPage);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{200}, page.offset());
        CPPUNIT_ASSERT(details.empty());
    }
}

TEST(QueryTest, pageThatIsNoPositiveIntegerIsRefused) {
    for (const char* value : {"0", "-1", "x", "1.5", "1e2", "-99999999999999999999"}) {
        const QueryParameters parameters = parse("page=" + std::string(value) + "&per_page=" + value);
        QueryReader(parameters, details).page();
        CPPUNIT_ASSERT(details.has("page") && details.has("per_page"));
    }
}

TEST(QueryTest, aPageThatCannotBeCountedIsPastTheEnd) {
    for (const char* value : {"9223372036854775808", "99999999999999999999999999999999", "09223372036854775808"}) {
        const QueryParameters parameters = parse("page=" + std::string(value) + "&per_page=" + value);
        const Page page = QueryReader(parameters, details).page();
        CPPUNIT_ASSERT(details.empty());
        CPPUNIT_ASSERT_EQUAL(std::numeric_limits<std::int64_t>::max(), page.number);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, page.perPage);
    }
}

TEST(QueryTest, offsetOfAFarPageDoesNotOverflow) {
    const QueryParameters parameters = parse("page=9223372036854775807&per_page=100");
    const Page page = QueryReader(parameters, details).page();
    CPPUNIT_ASSERT(details.empty());
    CPPUNIT_ASSERT_EQUAL(std::numeric_limits<std::int64_t>::max(), page.offset());
}

} // namespace supplierd::tests
