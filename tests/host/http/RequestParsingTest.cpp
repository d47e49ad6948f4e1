#include "host/http/RequestParsing.h"

#include <supplierd/Errors.h>

#include <Poco/Net/HTTPRequest.h>

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>
#include <utility>
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
    CPPUNIT_TEST_SUITE_END();

public:
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

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Poco::Net::HTTPRequest requestWith(const Fields& fields, const std::string& version = "HTTP/1.1") {
    Poco::Net::HTTPRequest request("POST", "/products", version);
    request.add("Host", "api.example");
    for (const auto& [name, value] : fields)
        request.add(name, value);
    return request;
}

host::Framing check(const Fields& fields) {
    return host::checkFraming(requestWith(fields));
}

ErrorKind refusalOf(const Poco::Net::HTTPRequest& request) {
    try {
        host::checkFraming(request);
    } catch (const ApiError& error) {
        return error.kind();
    }
    CPPUNIT_FAIL("the request was accepted");
    return ErrorKind::Internal;
}

void assertBad(const Fields& fields) {
    CPPUNIT_ASSERT_MESSAGE(fields.empty() ? "" : fields.back().first + ": " + fields.back().second,
                           refusalOf(requestWith(fields)) == ErrorKind::BadRequest);
}

} // namespace

class FramingTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(FramingTest);
    CPPUNIT_TEST(testWithoutContentLengthThereIsNoBody);
    CPPUNIT_TEST(testContentLengthOfDigitsIsTaken);
    CPPUNIT_TEST(testZeroIsALength);
    CPPUNIT_TEST(testWhatPocoWouldTakeForANumberIsRefused);
    CPPUNIT_TEST(testTwoContentLengthsAreRefusedEvenWhenTheyAgree);
    CPPUNIT_TEST(testChunkedBodyNeedsALength);
    CPPUNIT_TEST(testAnyTransferCodingNeedsALength);
    CPPUNIT_TEST(testLengthAndTransferCodingTogetherAreRefused);
    CPPUNIT_TEST(testFieldNamesAreComparedWithoutCase);
    CPPUNIT_TEST(testTwoHostsAreRefused);
    CPPUNIT_TEST(testHttp11WithoutHostIsRefused);
    CPPUNIT_TEST(testHttp10WithoutHostIsFine);
    CPPUNIT_TEST(testOtherVersionsAreRefused);
    CPPUNIT_TEST(testFieldNamesMustBeTokens);
    CPPUNIT_TEST(testControlCharactersInValuesAreRefused);
    CPPUNIT_TEST(testTabsAndLettersBeyondAsciiInValuesAreFine);
    CPPUNIT_TEST(testTwoCredentialsAreRefused);
    CPPUNIT_TEST(testTwoIdempotencyKeysAreRefused);
    CPPUNIT_TEST_SUITE_END();

public:
    void testWithoutContentLengthThereIsNoBody() {
        const auto framing = check({{"Accept", "*/*"}});
        CPPUNIT_ASSERT(!framing.hasLength);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, framing.length);
    }

    void testContentLengthOfDigitsIsTaken() {
        const auto framing = check({{"Content-Length", "1048576"}});
        CPPUNIT_ASSERT(framing.hasLength);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'048'576}, framing.length);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, check({{"Content-Length", "0007"}}).length);
    }

    void testZeroIsALength() {
        const auto framing = check({{"Content-Length", "0"}});
        CPPUNIT_ASSERT(framing.hasLength);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, framing.length);
    }

    void testWhatPocoWouldTakeForANumberIsRefused() {
        for (const char* value : {"", "-1", "+2", "1,1", "1,000", "0x10", "5 5", "5.0", "1e3", "five", "5;",
                                  "9223372036854775808", "99999999999999999999"})
            assertBad({{"Content-Length", value}});
    }

    void testTwoContentLengthsAreRefusedEvenWhenTheyAgree() {
        assertBad({{"Content-Length", "5"}, {"Content-Length", "6"}});
        assertBad({{"Content-Length", "5"}, {"content-length", "5"}});
    }

    void testChunkedBodyNeedsALength() {
        CPPUNIT_ASSERT(refusalOf(requestWith({{"Transfer-Encoding", "chunked"}})) == ErrorKind::LengthRequired);
    }

    void testAnyTransferCodingNeedsALength() {
        for (const char* coding : {"gzip", "identity", "xchunked", "chunked, chunked", ""})
            CPPUNIT_ASSERT(refusalOf(requestWith({{"Transfer-Encoding", coding}})) == ErrorKind::LengthRequired);
    }

    void testLengthAndTransferCodingTogetherAreRefused() {
        assertBad({{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}});
        assertBad({{"Transfer-Encoding", "identity"}, {"Content-Length", "5"}});
    }

    void testFieldNamesAreComparedWithoutCase() {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, check({{"CONTENT-length", "5"}}).length);
        CPPUNIT_ASSERT(refusalOf(requestWith({{"TRANSFER-encoding", "chunked"}})) == ErrorKind::LengthRequired);
    }

    void testTwoHostsAreRefused() { assertBad({{"HOST", "other.example"}}); }

    void testHttp11WithoutHostIsRefused() {
        const Poco::Net::HTTPRequest request("GET", "/products", "HTTP/1.1");
        CPPUNIT_ASSERT(refusalOf(request) == ErrorKind::BadRequest);
    }

    void testHttp10WithoutHostIsFine() {
        const Poco::Net::HTTPRequest request("GET", "/products", "HTTP/1.0");
        CPPUNIT_ASSERT(!host::checkFraming(request).hasLength);
    }

    void testOtherVersionsAreRefused() {
        for (const char* version : {"", "EVIL", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1 x"})
            CPPUNIT_ASSERT_MESSAGE(version, refusalOf(requestWith({}, version)) == ErrorKind::BadRequest);
    }

    void testFieldNamesMustBeTokens() {
        for (const char* name : {"", "X Y", "X\tY", "X(Y)", "X\x7f", "X\xc3\xa9", "\"X\""})
            assertBad({{name, "value"}});
        check({{"X!#$%&'*+-.^_`|~9", "value"}});
    }

    void testControlCharactersInValuesAreRefused() {
        for (const char* value : {"a\rb", "a\nb", "a\r\nX-Injected: 1", "\x01", "a\x7f", "\x1b[31m"})
            assertBad({{"X-Note", value}});
        assertBad({{"X-Note", std::string("a\0b", 3)}});
    }

    void testTabsAndLettersBeyondAsciiInValuesAreFine() { check({{"X-Note", "tulips\tfor Zo\xc3\xab"}}); }

    void testTwoCredentialsAreRefused() { assertBad({{"Authorization", "Bearer a"}, {"authorization", "Bearer b"}}); }

    void testTwoIdempotencyKeysAreRefused() { assertBad({{"Idempotency-Key", "a"}, {"Idempotency-Key", "a"}}); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(FramingTest);

} // namespace supplierd::tests
