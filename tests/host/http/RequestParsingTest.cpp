#include "host/http/RequestParsing.h"

#include <supplierd/Errors.h>
#include <supplierd/Validation.h>

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::isValidRequestId;
using host::newRequestId;

class RequestIdTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RequestIdTest);
    CPPUNIT_TEST(testLettersDigitsDotUnderscoreAndHyphenAreValid);
    CPPUNIT_TEST(testSixtyFourCharactersAreTheMost);
    CPPUNIT_TEST(testEverythingElseIsInvalid);
    CPPUNIT_TEST(testMadeIdsAreValidAndDiffer);
    CPPUNIT_TEST(testAFormHasAThousandParametersAtMost);
    CPPUNIT_TEST_SUITE_END();

public:
    void testAFormHasAThousandParametersAtMost() {
        std::string form = "a=0";
        for (int i = 1; i < 1'000; ++i)
            form += "&a=" + std::to_string(i);
        Details problems;
        CPPUNIT_ASSERT_EQUAL(std::size_t{1'000}, host::parseForm(form, problems).size());
        CPPUNIT_ASSERT(problems.empty());
        CPPUNIT_ASSERT(host::parseForm(form + "&a=1000", problems).empty());
        CPPUNIT_ASSERT_EQUAL(std::string("too_many"), problems.entries().at(0).code);
    }

    void testLettersDigitsDotUnderscoreAndHyphenAreValid() {
        CPPUNIT_ASSERT(isValidRequestId("a"));
        CPPUNIT_ASSERT(isValidRequestId("Order_2026.11-20"));
    }

    void testSixtyFourCharactersAreTheMost() {
        CPPUNIT_ASSERT(isValidRequestId(std::string(64, 'x')));
        CPPUNIT_ASSERT(!isValidRequestId(std::string(65, 'x')));
    }

    void testEverythingElseIsInvalid() {
        for (const char* text : {"", " ", "a b", "a/b", "a\"b", "a\nb", "\xc3\xa9", "{}", "a,b", "<script>"})
            CPPUNIT_ASSERT_MESSAGE(text, !isValidRequestId(text));
        CPPUNIT_ASSERT(!isValidRequestId(std::string_view("a\0b", 3)));
    }

    void testMadeIdsAreValidAndDiffer() {
        std::set<std::string> seen;
        for (int i = 0; i < 10'000; ++i) {
            const auto id = newRequestId();
            CPPUNIT_ASSERT(isValidRequestId(id));
            CPPUNIT_ASSERT_MESSAGE(id, seen.insert(id).second);
        }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(RequestIdTest);

namespace {

using Segments = std::vector<std::string>;

Segments segmentsOf(std::string_view raw) {
    return host::RequestTarget::parse(raw).segments;
}

void assertRefused(std::string_view raw) {
    try {
        host::RequestTarget::parse(raw);
    } catch (const ApiError& error) {
        CPPUNIT_ASSERT_MESSAGE(std::string(raw), error.kind() == ErrorKind::BadRequest);
        return;
    }
    CPPUNIT_FAIL("accepted: " + std::string(raw));
}

} // namespace

class RequestTargetTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RequestTargetTest);
    CPPUNIT_TEST(testPathAndQueryAreSplitAtTheFirstQuestionMark);
    CPPUNIT_TEST(testSegmentsAreDecoded);
    CPPUNIT_TEST(testEncodedSlashStaysInItsSegment);
    CPPUNIT_TEST(testEncodedQuestionMarkDoesNotBeginTheQuery);
    CPPUNIT_TEST(testEmptySegmentsAreKept);
    CPPUNIT_TEST(testDotSegmentsAreNotResolved);
    CPPUNIT_TEST(testAbsoluteFormLosesItsAuthority);
    CPPUNIT_TEST(testAbsoluteFormWithoutPathIsTheRoot);
    CPPUNIT_TEST(testFragmentIsNoPartOfTheQuery);
    CPPUNIT_TEST(testOtherFormsAreRefused);
    CPPUNIT_TEST(testBrokenPercentEscapesAreRefused);
    CPPUNIT_TEST(testNulIsRefused);
    CPPUNIT_TEST(testInvalidUtf8IsRefused);
    CPPUNIT_TEST(testQueryIsLeftRaw);
    CPPUNIT_TEST_SUITE_END();

public:
    void testPathAndQueryAreSplitAtTheFirstQuestionMark() {
        const auto target = host::RequestTarget::parse("/products/7?search=a?b&page=2");
        CPPUNIT_ASSERT_EQUAL(std::string("/products/7"), std::string(target.path));
        CPPUNIT_ASSERT_EQUAL(std::string("search=a?b&page=2"), std::string(target.query));
        CPPUNIT_ASSERT((Segments{"products", "7"}) == target.segments);
    }

    void testSegmentsAreDecoded() {
        CPPUNIT_ASSERT((Segments{"a b", "\xf0\x9f\x92\x90", "products"}) ==
                       segmentsOf("/a%20b/%F0%9f%92%90/%70roducts"));
    }

    void testEncodedSlashStaysInItsSegment() {
        CPPUNIT_ASSERT((Segments{"products", "1/delete"}) == segmentsOf("/products/1%2fdelete"));
    }

    void testEncodedQuestionMarkDoesNotBeginTheQuery() {
        const auto target = host::RequestTarget::parse("/a%3Fb");
        CPPUNIT_ASSERT((Segments{"a?b"}) == target.segments);
        CPPUNIT_ASSERT(target.query.empty());
    }

    void testEmptySegmentsAreKept() {
        CPPUNIT_ASSERT((Segments{""}) == segmentsOf("/"));
        CPPUNIT_ASSERT((Segments{"", "products", ""}) == segmentsOf("//products/"));
    }

    void testDotSegmentsAreNotResolved() {
        CPPUNIT_ASSERT((Segments{"api", "..", "products"}) == segmentsOf("/api/%2e%2e/products"));
    }

    void testAbsoluteFormLosesItsAuthority() {
        const auto target = host::RequestTarget::parse("http://api.example:8080/products?page=1");
        CPPUNIT_ASSERT_EQUAL(std::string("/products"), std::string(target.path));
        CPPUNIT_ASSERT_EQUAL(std::string("page=1"), std::string(target.query));
        CPPUNIT_ASSERT((Segments{"products"}) == segmentsOf("HTTPS://api.example/products"));
    }

    void testAbsoluteFormWithoutPathIsTheRoot() {
        CPPUNIT_ASSERT((Segments{""}) == segmentsOf("http://api.example"));
        CPPUNIT_ASSERT((Segments{""}) == segmentsOf("http://api.example?next=/products"));
    }

    void testFragmentIsNoPartOfTheQuery() {
        CPPUNIT_ASSERT_EQUAL(std::string("a=1"), std::string(host::RequestTarget::parse("/p?a=1#top").query));
    }

    void testOtherFormsAreRefused() {
        for (const char* raw : {"", "*", "products", "api.example:443", "ftp://api.example/a", "?page=1", "#"})
            assertRefused(raw);
    }

    void testBrokenPercentEscapesAreRefused() {
        for (const char* raw : {"/%", "/%4", "/%zz", "/%4g", "/a%/b", "/%%41"})
            assertRefused(raw);
    }

    void testNulIsRefused() {
        assertRefused("/products%00");
        assertRefused("/products/%00/x");
    }

    void testInvalidUtf8IsRefused() {
        for (const char* raw : {"/%ff", "/%c0%af", "/%ed%a0%80", "/%f4%90%80%80", "/%e2%82", "/\xff"})
            assertRefused(raw);
    }

    void testQueryIsLeftRaw() {
        CPPUNIT_ASSERT_EQUAL(std::string("search=%zz%00"),
                             std::string(host::RequestTarget::parse("/p?search=%zz%00").query));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(RequestTargetTest);

} // namespace supplierd::tests
