#include "host/http/RequestParsing.h"

#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>
#include <supplierd/Validation.h>

#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::isValidRequestId;
using host::newRequestId;

class RequestIdTest : public CppUnit::TestFixture {};

TEST(RequestIdTest, lettersDigitsDotUnderscoreAndHyphenAreValid) {
    CPPUNIT_ASSERT(isValidRequestId("a"));
    CPPUNIT_ASSERT(isValidRequestId("Order_2026.11-20"));
}

TEST(RequestIdTest, sixtyFourCharactersAreTheMost) {
    CPPUNIT_ASSERT(isValidRequestId(std::string(64, 'x')));
    CPPUNIT_ASSERT(!isValidRequestId(std::string(65, 'x')));
}

TEST(RequestIdTest, everythingElseIsInvalid) {
    for (const char* text : {"", " ", "a b", "a/b", "a\"b", "a\nb", "\xc3\xa9", "{}", "a,b", "<script>"})
        CPPUNIT_ASSERT_MESSAGE(text, !isValidRequestId(text));
    CPPUNIT_ASSERT(!isValidRequestId(std::string_view("a\0b", 3)));
}

TEST(RequestIdTest, madeIdsAreValidAndDiffer) {
    std::set<std::string> seen;
    for (int i = 0; i < 10'000; ++i) {
        const auto id = newRequestId();
        CPPUNIT_ASSERT(isValidRequestId(id));
        CPPUNIT_ASSERT_MESSAGE(id, seen.insert(id).second);
    }
}

TEST(RequestIdTest, aFormHasAThousandParametersAtMost) {
    std::string form = "a=0";
    for (int i = 1; i < 1'000; ++i)
        form += "&a=" + std::to_string(i);
    Details problems;
    CPPUNIT_ASSERT_EQUAL(std::size_t{1'000}, host::parseForm(form, problems).size());
    CPPUNIT_ASSERT(problems.empty());
    CPPUNIT_ASSERT(host::parseForm(form + "&a=1000", problems).empty());
    CPPUNIT_ASSERT_EQUAL(std::string("too_many"), problems.entries().at(0).code);
}

namespace {

using Segments = std::vector<std::string>;

Segments segmentsOf(std::string_view raw) {
    return host::RequestTarget::parse(raw).segments;
}

void assertRefused(std::string_view raw) {
    const auto error = thrownBy<ApiError>([&] { host::RequestTarget::parse(raw); }, "accepted: " + std::string(raw));
    CPPUNIT_ASSERT_MESSAGE(std::string(raw), error.kind() == ErrorKind::BadRequest);
}

} // namespace

class RequestTargetTest : public CppUnit::TestFixture {};

TEST(RequestTargetTest, pathAndQueryAreSplitAtTheFirstQuestionMark) {
    const auto target = host::RequestTarget::parse("/products/7?search=a?b&page=2");
    CPPUNIT_ASSERT_EQUAL(std::string("/products/7"), std::string(target.path));
    CPPUNIT_ASSERT_EQUAL(std::string("search=a?b&page=2"), std::string(target.query));
    CPPUNIT_ASSERT((Segments{"products", "7"}) == target.segments);
}

TEST(RequestTargetTest, segmentsAreDecoded) {
    CPPUNIT_ASSERT((Segments{"a b", "\xf0\x9f\x92\x90", "products"}) == segmentsOf("/a%20b/%F0%9f%92%90/%70roducts"));
}

TEST(RequestTargetTest, encodedSlashStaysInItsSegment) {
    CPPUNIT_ASSERT((Segments{"products", "1/delete"}) == segmentsOf("/products/1%2fdelete"));
}

TEST(RequestTargetTest, encodedQuestionMarkDoesNotBeginTheQuery) {
    const auto target = host::RequestTarget::parse("/a%3Fb");
    CPPUNIT_ASSERT((Segments{"a?b"}) == target.segments);
    CPPUNIT_ASSERT(target.query.empty());
}

TEST(RequestTargetTest, emptySegmentsAreKept) {
    CPPUNIT_ASSERT((Segments{""}) == segmentsOf("/"));
    CPPUNIT_ASSERT((Segments{"", "products", ""}) == segmentsOf("//products/"));
}

TEST(RequestTargetTest, dotSegmentsAreNotResolved) {
    CPPUNIT_ASSERT((Segments{"api", "..", "products"}) == segmentsOf("/api/%2e%2e/products"));
}

TEST(RequestTargetTest, absoluteFormLosesItsAuthority) {
    const auto target = host::RequestTarget::parse("http://api.example:8080/products?page=1");
    CPPUNIT_ASSERT_EQUAL(std::string("/products"), std::string(target.path));
    CPPUNIT_ASSERT_EQUAL(std::string("page=1"), std::string(target.query));
    CPPUNIT_ASSERT((Segments{"products"}) == segmentsOf("HTTPS://api.example/products"));
}

TEST(RequestTargetTest, absoluteFormWithoutPathIsTheRoot) {
    CPPUNIT_ASSERT((Segments{""}) == segmentsOf("http://api.example"));
    CPPUNIT_ASSERT((Segments{""}) == segmentsOf("http://api.example?next=/products"));
}

TEST(RequestTargetTest, fragmentIsNoPartOfTheQuery) {
    CPPUNIT_ASSERT_EQUAL(std::string("a=1"), std::string(host::RequestTarget::parse("/p?a=1#top").query));
}

TEST(RequestTargetTest, otherFormsAreRefused) {
    for (const char* raw : {"", "*", "products", "api.example:443", "ftp://api.example/a", "?page=1", "#"})
        assertRefused(raw);
}

TEST(RequestTargetTest, brokenPercentEscapesAreRefused) {
    for (const char* raw : {"/%", "/%4", "/%zz", "/%4g", "/a%/b", "/%%41"})
        assertRefused(raw);
}

TEST(RequestTargetTest, nulIsRefused) {
    assertRefused("/products%00");
    assertRefused("/products/%00/x");
}

TEST(RequestTargetTest, invalidUtf8IsRefused) {
    for (const char* raw : {"/%ff", "/%c0%af", "/%ed%a0%80", "/%f4%90%80%80", "/%e2%82", "/\xff"})
        assertRefused(raw);
}

TEST(RequestTargetTest, queryIsLeftRaw) {
    CPPUNIT_ASSERT_EQUAL(std::string("search=%zz%00"),
                         std::string(host::RequestTarget::parse("/p?search=%zz%00").query));
}

} // namespace supplierd::tests
