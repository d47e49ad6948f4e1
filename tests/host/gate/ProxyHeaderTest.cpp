#include "host/gate/ProxyHeader.h"

#include "tests/support/Test.h"

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

using host::ProxyHeader;
using State = ProxyHeader::State;
using namespace std::string_literals;

namespace {

const std::string SIGNATURE = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string IPV4 = "\xcb\x00\x71\x09\x0a\x00\x00\x01\xdc\x04\x01\xbb"s; // 203.0.113.9:56324 to 10.0.0.1:443

std::string binary(char versionAndCommand, char family, const std::string& rest) {
    return SIGNATURE + versionAndCommand + family + static_cast<char>(rest.size() >> 8U) +
           static_cast<char>(rest.size() & 255U) + rest;
}

void requireState(State state, const std::vector<std::string>& cases) {
    for (const auto& bytes : cases)
        CPPUNIT_ASSERT_MESSAGE(bytes, ProxyHeader::parse(bytes).state == state);
}

/// It is incomplete until its last byte, and nothing after it matters.
ProxyHeader parseInPieces(const std::string& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CPPUNIT_ASSERT_MESSAGE(bytes.substr(0, size),
                               ProxyHeader::parse(std::string_view(bytes).substr(0, size)).state == State::Incomplete);
    const auto header = ProxyHeader::parse(bytes);
    CPPUNIT_ASSERT_EQUAL(bytes.size(), header.length);
    const auto followed = ProxyHeader::parse(bytes + "GET / HTTP/1.1\r\n");
    CPPUNIT_ASSERT(followed.state == header.state && followed.source == header.source);
    CPPUNIT_ASSERT_EQUAL(bytes.size(), followed.length);
    return header;
}

} // namespace

class ProxyHeaderTest : public CppUnit::TestFixture {};

TEST(ProxyHeaderTest, lineNamesTheClient) {
    const auto v4 = parseInPieces("PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n");
    CPPUNIT_ASSERT(v4.state == State::Proxied);
    CPPUNIT_ASSERT_EQUAL("203.0.113.9:56324"s, v4.source.toString());
    CPPUNIT_ASSERT_EQUAL("10.0.0.1:443"s, v4.destination.toString());
    const auto v6 = parseInPieces("PROXY TCP6 2001:db8::9 ::1 0 65535\r\n");
    CPPUNIT_ASSERT_EQUAL("[2001:db8::9]:0"s, v6.source.toString());
    CPPUNIT_ASSERT_EQUAL("[::1]:65535"s, v6.destination.toString());
}

TEST(ProxyHeaderTest, lineOfUnknownClientIsLocal) {
    CPPUNIT_ASSERT(parseInPieces("PROXY UNKNOWN\r\n").state == State::Local);
    CPPUNIT_ASSERT(parseInPieces("PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n").state == State::Local);
}

TEST(ProxyHeaderTest, brokenLinesAreRefused) {
    requireState(State::Rejected,
                 {"PROXY TCP4 192.168.0.1 192.16...\r\n", "PROXY TCP4 1.2.3.4 1.2.3.5 1\r\n",
                  "PROXY TCP4 1.2.3.4 1.2.3.5 1 2 3\r\n", "PROXY TCP4  1.2.3.4 1.2.3.5 1 2\r\n",
                  "PROXY TCP4 1.2.3.4 1.2.3.5 1 2 \r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
                  "PROXY TCP6 1.2.3.4 1.2.3.5 1 2\r\n", "PROXY TCP4 01.2.3.4 1.2.3.5 1 2\r\n",
                  "PROXY TCP4 1.2.3.4 1.2.3.5 01 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.5 65536 2\r\n",
                  "PROXY TCP4 1.2.3.4 1.2.3.5 -1 2\r\n", "PROXY TCP6 fe80::1%lo ::1 1 2\r\n",
                  "PROXY UDP4 1.2.3.4 1.2.3.5 1 2\r\n", "PROXY \r\n", "PROXY TCP4 1.2.3.4 1.2.3.5 1 2\n",
                  "PROXY TCP4 1.2.3.4\r1.2.3.5 1 2\r\n", "PROXY UNKNOWNX\r\n",
                  "PROXY UNKNOWN " + std::string(100, 'x') + "\r\n", "PROXY " + std::string(200, 'x')});
}

TEST(ProxyHeaderTest, binaryHeaderNamesTheClient) {
    const auto v4 = parseInPieces(binary('\x21', '\x11', IPV4));
    CPPUNIT_ASSERT(v4.state == State::Proxied);
    CPPUNIT_ASSERT_EQUAL("203.0.113.9:56324"s, v4.source.toString());
    CPPUNIT_ASSERT_EQUAL("10.0.0.1:443"s, v4.destination.toString());
    CPPUNIT_ASSERT(!v4.isTls);
    const auto v6 = parseInPieces(binary('\x21', '\x21',
                                         "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x09" + std::string(15, '\0') +
                                             "\x01" + "\x00\x01\x00\x02"s));
    CPPUNIT_ASSERT_EQUAL("[2001:db8::9]:1"s, v6.source.toString());
    CPPUNIT_ASSERT_EQUAL("[::1]:2"s, v6.destination.toString());
}

TEST(ProxyHeaderTest, binaryHeaderOfTheProxyItselfIsLocal) {
    CPPUNIT_ASSERT(parseInPieces(binary('\x20', '\x00', "")).state == State::Local);
    CPPUNIT_ASSERT(parseInPieces(binary('\x20', '\x11', IPV4)).state == State::Local);
    CPPUNIT_ASSERT(parseInPieces(binary('\x21', '\x00', "whatever")).state == State::Local);
    CPPUNIT_ASSERT(parseInPieces(binary('\x21', '\x31', std::string(216, '\0'))).state == State::Local);
}

TEST(ProxyHeaderTest, binaryHeaderSaysWhetherTheClientSpeaksTls) {
    const auto withTls = [](char client) {
        return IPV4 + "\x04\x00\x01x\x20\x00\x05"s + client + std::string(4, '\0');
    };
    CPPUNIT_ASSERT(parseInPieces(binary('\x21', '\x11', withTls('\x01'))).isTls);
    CPPUNIT_ASSERT(!parseInPieces(binary('\x21', '\x11', withTls('\x00'))).isTls);
}

TEST(ProxyHeaderTest, brokenBinaryHeadersAreRefused) {
    requireState(State::Rejected,
                 {binary('\x11', '\x11', IPV4), binary('\x22', '\x11', IPV4), binary('\x21', '\x41', IPV4),
                  binary('\x21', '\x12', IPV4), binary('\x21', '\x13', IPV4), binary('\x21', '\x11', IPV4.substr(1)),
                  binary('\x21', '\x21', IPV4), binary('\x21', '\x31', IPV4),
                  binary('\x21', '\x11', IPV4 + "\x04\x00"s), binary('\x21', '\x11', IPV4 + "\x04\x00\x02x"s),
                  binary('\x21', '\x11', IPV4 + std::string(4'097, '\0'))});
}

TEST(ProxyHeaderTest, requestWithoutHeaderIsRefused) {
    requireState(State::Rejected, {"GET / HTTP/1.1\r\n", "G", "PROXZ", "\r\n\r\nG", "proxy TCP4", "PRI * HTTP/2.0"});
}

} // namespace supplierd::tests
