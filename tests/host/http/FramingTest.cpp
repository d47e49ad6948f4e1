#include "host/http/Framing.h"

#include <supplierd/Errors.h>

#include <Poco/Net/HTTPRequest.h>

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Poco::Net::HTTPRequest requestWith(const Fields& fields, const std::string& version = "HTTP/1.1") {
    Poco::Net::HTTPRequest request("POST", "/products", version);
    request.add("Host", "api.example");
    for (const auto& [name, value] : fields)
        request.add(name, value);
    return request;
}

host::Framing judge(const Fields& fields) {
    return host::judgeFraming(requestWith(fields));
}

ErrorKind refusalOf(const Poco::Net::HTTPRequest& request) {
    try {
        host::judgeFraming(request);
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
        const auto framing = judge({{"Accept", "*/*"}});
        CPPUNIT_ASSERT(!framing.hasLength);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, framing.length);
    }

    void testContentLengthOfDigitsIsTaken() {
        const auto framing = judge({{"Content-Length", "1048576"}});
        CPPUNIT_ASSERT(framing.hasLength);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'048'576}, framing.length);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, judge({{"Content-Length", "0007"}}).length);
    }

    void testZeroIsALength() {
        const auto framing = judge({{"Content-Length", "0"}});
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
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, judge({{"CONTENT-length", "5"}}).length);
        CPPUNIT_ASSERT(refusalOf(requestWith({{"TRANSFER-encoding", "chunked"}})) == ErrorKind::LengthRequired);
    }

    void testTwoHostsAreRefused() { assertBad({{"HOST", "other.example"}}); }

    void testHttp11WithoutHostIsRefused() {
        const Poco::Net::HTTPRequest request("GET", "/products", "HTTP/1.1");
        CPPUNIT_ASSERT(refusalOf(request) == ErrorKind::BadRequest);
    }

    void testHttp10WithoutHostIsFine() {
        const Poco::Net::HTTPRequest request("GET", "/products", "HTTP/1.0");
        CPPUNIT_ASSERT(!host::judgeFraming(request).hasLength);
    }

    void testOtherVersionsAreRefused() {
        for (const char* version : {"", "EVIL", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1 x"})
            CPPUNIT_ASSERT_MESSAGE(version, refusalOf(requestWith({}, version)) == ErrorKind::BadRequest);
    }

    void testFieldNamesMustBeTokens() {
        for (const char* name : {"", "X Y", "X\tY", "X(Y)", "X\x7f", "X\xc3\xa9", "\"X\""})
            assertBad({{name, "value"}});
        judge({{"X!#$%&'*+-.^_`|~9", "value"}});
    }

    void testControlCharactersInValuesAreRefused() {
        for (const char* value : {"a\rb", "a\nb", "a\r\nX-Injected: 1", "\x01", "a\x7f", "\x1b[31m"})
            assertBad({{"X-Note", value}});
        assertBad({{"X-Note", std::string("a\0b", 3)}});
    }

    void testTabsAndLettersBeyondAsciiInValuesAreFine() { judge({{"X-Note", "tulips\tfor Zo\xc3\xab"}}); }

    void testTwoCredentialsAreRefused() { assertBad({{"Authorization", "Bearer a"}, {"authorization", "Bearer b"}}); }

    void testTwoIdempotencyKeysAreRefused() { assertBad({{"Idempotency-Key", "a"}, {"Idempotency-Key", "a"}}); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(FramingTest);

} // namespace supplierd::tests
