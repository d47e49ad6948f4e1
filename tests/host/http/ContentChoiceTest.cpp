#include "host/http/response/ContentChoice.h"

#include "tests/support/Test.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint64_t SIZE = 1'000;
constexpr const char* TAG = "\"v1\"";

std::string choose(const Fields& fields, std::uint64_t size = SIZE, std::string_view etag = TAG,
                   const std::string& method = "GET") {
    Poco::Net::HTTPRequest request(method, "/media/a", "HTTP/1.1");
    for (const auto& [name, value] : fields)
        request.add(name, value);
    const auto choice = host::chooseContent(request, size, etag);
    return fmt::format("{} {}+{}", choice.status, choice.offset, choice.length);
}

std::string range(const std::string& value, std::uint64_t size = SIZE) {
    return choose({{"Range", value}}, size);
}

const std::string WHOLE = "200 0+1000";
const std::string UNCHANGED = "304 0+0";
const std::string UNSATISFIABLE = "416 0+0";

} // namespace

class ContentChoiceTest : public CppUnit::TestFixture {};

TEST(ContentChoiceTest, withoutConditionsItIsTheWhole) {
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({}));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-Range", TAG}}));
}

TEST(ContentChoiceTest, rangesOfBytes) {
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+1"), range("bytes=0-0"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+1000"), range("bytes=0-"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+1000"), range("bytes=0-999"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+1000"), range("bytes=0-5000"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 10+90"), range("bytes=10-99"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 999+1"), range("bytes=999-"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 995+5"), range("bytes=-5"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+1000"), range("bytes=-5000"));
    CPPUNIT_ASSERT_EQUAL(std::string("206 10+90"), range("Bytes= 10-99 "));
}

TEST(ContentChoiceTest, rangeBeyondTheEndIsUnsatisfiable) {
    for (const char* value : {"bytes=1000-", "bytes=1000-1001", "bytes=5000-6000", "bytes=-0"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(value, UNSATISFIABLE, range(value));
}

TEST(ContentChoiceTest, severalRangesGiveTheWhole) {
    for (const char* value : {"bytes=0-1,5-6", "bytes=0-1, -1", "bytes=0-1,", "bytes=5000-6000,0-1"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(value, WHOLE, range(value));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"Range", "bytes=0-1"}, {"Range", "bytes=5-6"}}));
}

TEST(ContentChoiceTest, whatIsNoRangeGivesTheWhole) {
    for (const char* value :
         {"", "bytes", "bytes=", "bytes=-", "bytes=9-5", "bytes=a-b", "bytes=0x1-5", "bytes=1-5x", "bytes=+1-5",
          "bytes=1--5", "bytes=--5", "bytes 1-5", "lines=1-5", "1-5", "bytes=1-5-7", "bytes=1.0-5"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(value, WHOLE, range(value));
}

TEST(ContentChoiceTest, hugeNumbersAreNoOverflow) {
    const std::string huge(40, '9');
    CPPUNIT_ASSERT_EQUAL(std::string("206 10+990"), range("bytes=10-" + huge));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+1000"), range("bytes=-" + huge));
    CPPUNIT_ASSERT_EQUAL(std::string("206 10+990"), range("bytes=10-18446744073709551615"));
    CPPUNIT_ASSERT_EQUAL(UNSATISFIABLE, range("bytes=" + huge + "-"));
    CPPUNIT_ASSERT_EQUAL(UNSATISFIABLE, range("bytes=18446744073709551615-18446744073709551615"));
}

TEST(ContentChoiceTest, emptyContentHasNoRanges) {
    CPPUNIT_ASSERT_EQUAL(std::string("200 0+0"), choose({}, 0));
    CPPUNIT_ASSERT_EQUAL(std::string("200 0+0"), range("bytes=-5", 0));
    CPPUNIT_ASSERT_EQUAL(UNSATISFIABLE, range("bytes=0-", 0));
}

TEST(ContentChoiceTest, headHasNoRanges) {
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"Range", "bytes=0-1"}}, SIZE, TAG, "HEAD"));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"Range", "bytes=5000-"}}, SIZE, TAG, "HEAD"));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", TAG}}, SIZE, TAG, "HEAD"));
}

TEST(ContentChoiceTest, ifRangeTakesTheStrongTagOnly) {
    const auto under = [](const std::string& condition, std::string_view etag = TAG) {
        return choose({{"Range", "bytes=0-1"}, {"If-Range", condition}}, SIZE, etag);
    };
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+2"), under(TAG));
    for (const char* other : {"\"v2\"", "W/\"v1\"", "v1", "*", "", "\"v1\", \"v2\"", "Sat, 21 Nov 2026 10:00:00 GMT"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(other, WHOLE, under(other));
    CPPUNIT_ASSERT_EQUAL(WHOLE, under("W/\"v1\"", "W/\"v1\""));
    CPPUNIT_ASSERT_EQUAL(WHOLE, under("", ""));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"Range", "bytes=5000-"}, {"If-Range", "\"v2\""}}));
}

TEST(ContentChoiceTest, ifNoneMatchComparesWeakly) {
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", "\"v1\""}}));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", "W/\"v1\""}}));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", "\"v1\""}}, SIZE, "W/\"v1\""));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", " * "}}));
    for (const char* other : {"\"v2\"", "v1", "\"v1", "", "\"V1\"", "w/\"v1\"", "\"v\""})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(other, WHOLE, choose({{"If-None-Match", other}}));
}

TEST(ContentChoiceTest, ifNoneMatchTakesAList) {
    for (const char* list : {"\"v0\", \"v1\"", "\"v1\",\"v0\"", ", ,\"v0\" , W/\"v1\"", "\"a,b\", \"v1\""})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(list, UNCHANGED, choose({{"If-None-Match", list}}));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", "\"v0\""}, {"If-None-Match", TAG}}));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-None-Match", "\"a,\"v1\",b\""}}));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-None-Match", "\"v0\", \"v2\""}}));
}

TEST(ContentChoiceTest, ifNoneMatchGoesBeforeTheRange) {
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", TAG}, {"Range", "bytes=0-1"}}));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+2"), choose({{"If-None-Match", "\"v0\""}, {"Range", "bytes=0-1"}}));
}

TEST(ContentChoiceTest, ifMatchComparesStrongly) {
    const std::string refused = "412 0+0";
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-Match", TAG}}));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-Match", "*"}}));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-Match", "\"v0\", \"v1\""}}));
    CPPUNIT_ASSERT_EQUAL(refused, choose({{"If-Match", "W/\"v1\""}}));
    CPPUNIT_ASSERT_EQUAL(refused, choose({{"If-Match", "\"v0\""}}));
    CPPUNIT_ASSERT_EQUAL(refused, choose({{"If-Match", "\"v0\""}, {"If-None-Match", TAG}}));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-Match", TAG}, {"If-None-Match", TAG}}));
}

TEST(ContentChoiceTest, datesAreIgnored) {
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-Modified-Since", "Sat, 21 Nov 2099 10:00:00 GMT"}}));
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-Unmodified-Since", "Sat, 21 Nov 1999 10:00:00 GMT"}}));
}

TEST(ContentChoiceTest, contentWithoutATagMatchesNothingButTheStar) {
    CPPUNIT_ASSERT_EQUAL(WHOLE, choose({{"If-None-Match", TAG}}, SIZE, ""));
    CPPUNIT_ASSERT_EQUAL(UNCHANGED, choose({{"If-None-Match", "*"}}, SIZE, ""));
    CPPUNIT_ASSERT_EQUAL(std::string("206 0+2"), choose({{"Range", "bytes=0-1"}}, SIZE, ""));
}

TEST(ContentChoiceTest, entityTagsAreQuoted) {
    for (const char* tag : {"\"\"", "\"v1\"", "W/\"v1\"", "\"!#~\""})
        CPPUNIT_ASSERT_MESSAGE(tag, host::isEntityTag(tag));
    for (const char* tag : {"", "v1", "\"v1", "v1\"", "\"", "W/", "W/v1", "w/\"v1\"", "\"a b\"", "\"a\"b\""})
        CPPUNIT_ASSERT_MESSAGE(tag, !host::isEntityTag(tag));
}

} // namespace supplierd::tests
