#include "host/gate/RequestHeadCheck.h"

#include "tests/host/gate/RequestStream.h"
#include "tests/support/Test.h"

#include <string>
#include <string_view>

namespace supplierd::tests {

using host::BodyFraming;
using host::RequestHeadCheck;
using namespace std::string_literals;

namespace {

/// 0 when the head is complete, -1 when more is waited for, else the status it is refused with.
int verdictOn(const std::string& bytes, const RequestHeadCheck::Limits& limits = {}) {
    RequestHeadCheck check(limits);
    switch (check.check(bytes)) {
    case RequestHeadCheck::State::Complete:
        return 0;
    case RequestHeadCheck::State::Incomplete:
        return -1;
    default:
        CPPUNIT_ASSERT(!check.rejection().reason.empty() && !check.rejection().message.empty());
        return check.rejection().status;
    }
}

/// Of a GET with the lines between its Host and its end.
int verdictOnFields(const std::string& lines) {
    return verdictOn("GET /a HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n");
}

void requireFields(int verdict, const std::vector<std::string>& cases) {
    for (const auto& lines : cases)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(lines, verdict, verdictOnFields(lines));
}

} // namespace

class RequestHeadCheckTest : public CppUnit::TestFixture {};

TEST(RequestHeadCheckTest, headSaysWhatItAsksFor) {
    const std::string bytes = "POST /a%2Fb?c=d HTTP/1.1\r\nHost: shop.example:8080\r\nAuthorization: Bearer x\r\n"
                              "Content-Length: 012\r\nOrigin: https://a.example\r\n\r\nbody";
    RequestHeadCheck check;
    CPPUNIT_ASSERT(check.check(bytes) == RequestHeadCheck::State::Complete);
    const auto& head = check.head();
    CPPUNIT_ASSERT_EQUAL("POST"s, std::string(head.method));
    CPPUNIT_ASSERT_EQUAL("/a%2Fb?c=d"s, std::string(head.target));
    CPPUNIT_ASSERT_EQUAL("shop.example:8080"s, std::string(head.host));
    CPPUNIT_ASSERT_EQUAL("Bearer x"s, std::string(head.authorization));
    CPPUNIT_ASSERT_EQUAL("https://a.example"s, std::string(head.origin));
    CPPUNIT_ASSERT(head.isHttp11 && head.keepsAlive && !head.expectsContinue);
    CPPUNIT_ASSERT(head.framing == BodyFraming::Length);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{12}, head.contentLength);
}

TEST(RequestHeadCheckTest, fieldsAreReadInTheirOrder) {
    const std::string bytes = "GET / HTTP/1.0\r\nX-A: 1\r\nx-a:\t 2 \r\nEmpty:\r\n\r\n";
    RequestHeadCheck check;
    CPPUNIT_ASSERT(check.check(bytes) == RequestHeadCheck::State::Complete);
    std::string seen;
    for (const auto& field : check.head().fields)
        seen += std::string(field.name) + "=" + std::string(field.value) + ";";
    CPPUNIT_ASSERT_EQUAL("X-A=1;x-a=2;Empty=;"s, seen);
    CPPUNIT_ASSERT_EQUAL("1"s, std::string(check.head().fields.find("x-a")));
    CPPUNIT_ASSERT(check.head().fields.find("empty").data() != nullptr);
    CPPUNIT_ASSERT(check.head().fields.find("none").data() == nullptr);
    CPPUNIT_ASSERT(check.head().host.data() == nullptr);
}

TEST(RequestHeadCheckTest, whatFollowsTheHeadIsLeft) {
    const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    RequestHeadCheck check;
    CPPUNIT_ASSERT(check.check(head + "\0\r\nwhatever"s) == RequestHeadCheck::State::Complete);
    CPPUNIT_ASSERT_EQUAL(head.size(), check.head().length);
}

TEST(RequestHeadCheckTest, oneEmptyLineBeforeARequestIsSkipped) {
    const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    const std::string bytes = "\r\n" + request;
    RequestHeadCheck check;
    CPPUNIT_ASSERT(check.check("\r\n") == RequestHeadCheck::State::Incomplete);
    CPPUNIT_ASSERT(!check.hasBegun());
    CPPUNIT_ASSERT(check.check(bytes) == RequestHeadCheck::State::Complete);
    CPPUNIT_ASSERT_EQUAL(request, std::string(check.head().bytes));
    CPPUNIT_ASSERT_EQUAL(bytes.size(), check.head().length);
    CPPUNIT_ASSERT_EQUAL("GET"s, std::string(check.head().method));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("\r\n\r\n" + request));
}

TEST(RequestHeadCheckTest, requestLineIsThreeWordsWithSingleBlanks) {
    for (const auto* line :
         {"GET", "GET /", "GET / ", " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ",
          "GET / HTTP/1.1 X", "GET\t/\tHTTP/1.1", "GET /a\tb HTTP/1.1", "G@T / HTTP/1.1", "GET /a b HTTP/1.1",
          "GET\xc3\x9f / HTTP/1.1", "METHODSOFMORETHANTHIRTYTWOLETTERS / HTTP/1.1"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(line, 400, verdictOn(line + "\r\nHost: h\r\n\r\n"s));
    CPPUNIT_ASSERT_EQUAL(0, verdictOn("-BLARGH /\xc3\xa0?q=\xc3\xa0 HTTP/1.1\r\nHost: h\r\n\r\n"));
}

TEST(RequestHeadCheckTest, onlyTwoVersionsAreSpoken) {
    for (const auto* version : {"HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "HTTP/1", "http/1.1", "HTTP/11",
                                "HTTP/1.1\t", "HTTPS/1.1", "HTTP/ 1.1", "1.1"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(version, 400, verdictOn("GET / "s + version + "\r\nHost: h\r\n\r\n"));
    CPPUNIT_ASSERT_EQUAL(0, verdictOn("GET / HTTP/1.0\r\n\r\n"));
}

TEST(RequestHeadCheckTest, targetIsAPathOrAWholeUrl) {
    const auto verdict = [](const std::string& target) {
        return verdictOn("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    };
    for (const auto* target : {"/", "//a", "/a?b#c", "http://h/", "HTTPS://h", "http://[::1]:80/x", "http://h?q"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(target, 0, verdict(target));
    for (const auto* target : {"*", "a", "h:80", "ftp://h/", "http:/h", "http://", "http:///", "http://u@h/",
                               "http://h:99999/", "http://[::1/", "s://]ufd/:", "?a", "\\a"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(target, 400, verdict(target));
    CPPUNIT_ASSERT_EQUAL(0, verdictOn("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"));
}

TEST(RequestHeadCheckTest, tunnelsAreNotAllowed) {
    CPPUNIT_ASSERT_EQUAL(405, verdictOn("CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n"));
}

TEST(RequestHeadCheckTest, exactlyOneValidHost) {
    const auto verdict = [](const std::string& lines) { return verdictOn("GET / HTTP/1.1\r\n" + lines + "\r\n"); };
    CPPUNIT_ASSERT_EQUAL(400, verdict(""));
    CPPUNIT_ASSERT_EQUAL(400, verdict("Host: a\r\nHost: a\r\n"));
    CPPUNIT_ASSERT_EQUAL(400, verdict("Host: a\r\nhOST: b\r\n"));
    for (const auto* host : {"", "a b", "a/", "a b/../", "a:b", "[::1", "[1.2.3.4]", "[fe80::1%lo]", "u@h", "%zz",
                             "a:99999", "a:1:2", "\"a\""})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(host, 400, verdict("Host: "s + host + "\r\n"));
    for (const auto* host : {"a", "a.example:443", "[::1]", "[2001:db8::1]:80", "127.0.0.1", "xn--a.b", "a%20b", "a:"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(host, 0, verdict("Host:"s + host + " \r\n"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"));
}

TEST(RequestHeadCheckTest, namesHaveTheCharactersOfTheStandards) {
    const std::string hex = "0123456789abcdefABCDEF";
    const std::string common = hex + "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ!$&'*+-._~";
    const auto expected = [](const std::string& allowed, char c) {
        return allowed.find(c) == std::string::npos ? 400 : 0;
    };
    for (char c = '!'; c <= '~'; ++c) {
        const std::string text(1, c);
        const auto host = [&](const std::string& name) {
            return verdictOn("GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
        };
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected(common + "(),;=", c), host("a" + text + "b"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected(hex, c), host("a%7" + text));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected(common + "#%^`|:", c), verdictOnFields("A" + text + "b: c\r\n"));
    }
}

TEST(RequestHeadCheckTest, linesEndInCrLfAlone) {
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET / HTTP/1.1\nHost: h\n\n"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET / HTTP/1.1\rHost: h\r\r"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("\nGET / HTTP/1.1\r\n"));
    requireFields(400, {"A: b\nC: d\r\n", "A: b\rC: d\r\n", "A: b\r\r\n", "\n", "A: b\n\r\n"});
}

TEST(RequestHeadCheckTest, controlCharactersAreRefused) {
    for (int c = 0; c < 256; ++c) {
        const bool isFine = c == '\t' || (c >= 0x20 && c != 0x7f && c != 0xff);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(std::to_string(c), isFine ? 0 : 400,
                                     verdictOnFields("A: b"s + static_cast<char>(c) + "c\r\n"));
    }
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET /a\0b HTTP/1.1\r\n"s));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET /\xff HTTP/1.1\r\n"));
}

TEST(RequestHeadCheckTest, fieldLinesAreStrict) {
    requireFields(400, {" A: b\r\n", "\tA: b\r\n", "A: b\r\n c\r\n", "A: b\r\n\tc\r\n", "A : b\r\n", "A\t: b\r\n",
                        "A\r\n", ": b\r\n", "A b: c\r\n", "A\xc3\x9f: b\r\n",
                        "\xa0"
                        "A: b\r\n",
                        "A(: b\r\n", "A\": b\r\n", "A/B: c\r\n"});
    requireFields(0, {"A:b\r\n", "A:\r\n", "A:: b\r\n", "X.Custom|Pipe: ok\r\n", "A_b: c\r\n", "A: \xc3\x9f\r\n"});
    CPPUNIT_ASSERT_EQUAL(0, verdictOnFields(std::string(255, 'a') + ": b\r\n"));
    CPPUNIT_ASSERT_EQUAL(431, verdictOnFields(std::string(256, 'a') + ": b\r\n"));
}

// Poco would decode them, in every field, line ends and all.
TEST(RequestHeadCheckTest, encodedWordsAreRefused) {
    requireFields(400, {"A: =?utf-8?Q?x?=\r\n", "A: b =?x?B?AA==?= c\r\n", "A: =?utf-8?Q?=0D=0AB:_c?=\r\n",
                        "A: =?"
                        "??"
                        "?=\r\n",
                        "Referer: http://h/?a=?b?c?d?=\r\n"});
    requireFields(0, {"A: =?x\r\n", "Referer: http://h/?a=?&b=?=\r\n", "A: a?=b?=c\r\n"});
    requireFields(400, {"Transfer-Encoding: =?utf-8?Q?chunked?=\r\n", "Content-Length: =?utf-8?Q?2?=\r\n"});
}

TEST(RequestHeadCheckTest, lengthIsOneNumber) {
    requireFields(400, {"Content-Length:\r\n", "Content-Length: -1\r\n", "Content-Length: +1\r\n",
                        "Content-Length: 1,1\r\n", "Content-Length: 1 1\r\n", "Content-Length: 0x1\r\n",
                        "Content-Length: 1_0\r\n", "Content-Length: 1.0\r\n", "Content-Length: 4x\r\n",
                        "Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: \xd9\xa1\r\n"});
    requireFields(413, {"Content-Length: 99999999999999999999\r\n", "Content-Length: 9223372036854775807\r\n"});
    requireFields(0, {"Content-Length: 0\r\n", "Content-Length: 00000000000000000000000002\r\n"});
    RequestHeadCheck::Limits limits;
    limits.contentLength = 10;
    CPPUNIT_ASSERT_EQUAL(0, verdictOn("POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n", limits));
    CPPUNIT_ASSERT_EQUAL(413, verdictOn("POST / HTTP/1.0\r\nContent-Length: 11\r\n\r\n", limits));
}

TEST(RequestHeadCheckTest, chunkedIsTheOnlyTransferEncoding) {
    requireFields(0, {"Transfer-Encoding: chunked\r\n", "transfer-encoding:CHUNKED \r\n"});
    requireFields(501, {"Transfer-Encoding: gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n",
                        "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n"});
    requireFields(400, {"Transfer-Encoding:\r\n", "Transfer-Encoding: 'chunked'x y\r\n",
                        "Transfer-Encoding: \"chunked\"\r\n", "Transfer-Encoding: chunked;q=1\r\n",
                        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
                        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"});
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"));
}

TEST(RequestHeadCheckTest, fieldsThatMeanOneThingComeOnce) {
    for (const auto* name :
         {"Authorization", "Content-Type", "Idempotency-Key", "Origin", "Range", "If-Range", "Transfer-Encoding"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, 400, verdictOnFields(name + ": chunked\r\n"s + name + ": chunked\r\n"));
    for (const auto* name : {"If-Match", "Cookie", "Accept", "X-Forwarded-For", "Forwarded", "Connection"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, 0, verdictOnFields(name + ": a\r\n"s + name + ": a\r\n"));
}

TEST(RequestHeadCheckTest, connectionSaysWhetherItIsKept) {
    const auto keeps = [](const std::string& version, const std::string& connection) {
        RequestHeadCheck check;
        const auto bytes = "GET / HTTP/" + version + "\r\nHost: h\r\n" + connection + "\r\n";
        CPPUNIT_ASSERT(check.check(bytes) == RequestHeadCheck::State::Complete);
        return check.head().keepsAlive;
    };
    CPPUNIT_ASSERT(keeps("1.1", ""));
    CPPUNIT_ASSERT(keeps("1.1", "Connection: Upgrade, HTTP2-Settings\r\n"));
    CPPUNIT_ASSERT(!keeps("1.1", "Connection: x, CLOSE\r\n"));
    CPPUNIT_ASSERT(!keeps("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
    CPPUNIT_ASSERT(!keeps("1.0", ""));
    CPPUNIT_ASSERT(keeps("1.0", "Connection: Keep-Alive\r\n"));
    CPPUNIT_ASSERT(!keeps("1.0", "Connection: keep-alive, close\r\n"));
    requireFields(400, {"Connection: close?\r\n", "Connection: =?close\r\n", "Connection: a b\r\n"});
}

TEST(RequestHeadCheckTest, continueIsExpectedByHttp11Only) {
    const auto expects = [](const std::string& version, const std::string& value) {
        RequestHeadCheck check;
        const auto bytes = "POST / HTTP/" + version + "\r\nHost: h\r\nExpect: " + value + "\r\n\r\n";
        CPPUNIT_ASSERT(check.check(bytes) == RequestHeadCheck::State::Complete);
        return check.head().expectsContinue;
    };
    CPPUNIT_ASSERT(expects("1.1", "100-Continue"));
    CPPUNIT_ASSERT(!expects("1.1", "100-continue, x"));
    CPPUNIT_ASSERT(!expects("1.0", "100-continue"));
}

TEST(RequestHeadCheckTest, limitsAreExact) {
    const auto target = [](std::size_t size) {
        return verdictOn("GET /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n");
    };
    CPPUNIT_ASSERT_EQUAL(0, target(8'000));
    CPPUNIT_ASSERT_EQUAL(414, target(8'001));
    CPPUNIT_ASSERT_EQUAL(0, verdictOnFields("A:" + std::string(7'998, 'a') + "\r\n"));
    CPPUNIT_ASSERT_EQUAL(431, verdictOnFields("A:" + std::string(7'999, 'a') + "\r\n"));
    const auto fields = [](std::size_t count) {
        std::string lines;
        for (std::size_t i = 1; i < count; ++i) // and the Host
            lines += "A: b\r\n";
        return verdictOnFields(lines);
    };
    CPPUNIT_ASSERT_EQUAL(0, fields(100));
    CPPUNIT_ASSERT_EQUAL(431, fields(101));
    const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(7'000, 'a') + "\r\nB: ";
    const auto head = [&](std::size_t size, const std::string& before) {
        const auto rest = size - begin.size() - 4;
        return verdictOn(before + begin + std::string(rest - 4'000, 'b') + "\r\nC:" + std::string(4'000 - 4, 'c') +
                         "\r\n\r\n");
    };
    CPPUNIT_ASSERT_EQUAL(0, head(16'384, ""));
    CPPUNIT_ASSERT_EQUAL(0, head(16'384, "\r\n"));
    CPPUNIT_ASSERT_EQUAL(431, head(16'385, ""));
}

TEST(RequestHeadCheckTest, endlessHeadIsRefusedAtItsLimit) {
    CPPUNIT_ASSERT_EQUAL(-1, verdictOn("GET /" + std::string(8'000, 'a')));
    CPPUNIT_ASSERT_EQUAL(414, verdictOn("GET /" + std::string(9'000, 'a')));
    CPPUNIT_ASSERT_EQUAL(-1, verdictOn("GET / HTTP/1.1\r\nA: " + std::string(7'000, 'a')));
    CPPUNIT_ASSERT_EQUAL(431, verdictOn("GET / HTTP/1.1\r\nA: " + std::string(9'000, 'a')));
}

TEST(RequestHeadCheckTest, refusalComesWithTheByteThatCausesIt) {
    CPPUNIT_ASSERT_EQUAL(-1, verdictOn("GET /a"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET /a\x01"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("\x16"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET /\r\n"));
    CPPUNIT_ASSERT_EQUAL(400, verdictOn("GET / HTTP/1.1\r\nHost: h\r\nA\r\n"));
    CPPUNIT_ASSERT_EQUAL(-1, verdictOn("GET / HTTP/1.1\r\nHost: h\r\n\r"));
}

} // namespace supplierd::tests
