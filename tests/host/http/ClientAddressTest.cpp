#include "host/http/ClientAddress.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

using Lines = std::vector<std::string>;

std::string clientOf(const std::string& peer, const Lines& forwardedFor, const Lines& trusted) {
    Poco::Net::HTTPRequest request("GET", "/products", "HTTP/1.1");
    for (const auto& line : forwardedFor)
        request.add("X-Forwarded-For", line);
    std::vector<host::AddressRange> proxies;
    for (const auto& range : trusted)
        proxies.push_back(host::AddressRange::parse(range).value());
    return host::clientAddress(Poco::Net::IPAddress(peer), request, proxies);
}

} // namespace

class ClientAddressTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ClientAddressTest);
    CPPUNIT_TEST(testWithoutTrustedProxiesThePeerIsTheClient);
    CPPUNIT_TEST(testHeaderOfAnUntrustedPeerIsIgnored);
    CPPUNIT_TEST(testTrustedProxyNamesTheClient);
    CPPUNIT_TEST(testWhatTheClientPutBeforeItsOwnAddressIsIgnored);
    CPPUNIT_TEST(testChainOfTrustedProxiesIsWalkedBack);
    CPPUNIT_TEST(testSeveralHeaderLinesAreOneList);
    CPPUNIT_TEST(testListOfProxiesOnlyGivesTheFirst);
    CPPUNIT_TEST(testWithoutHeaderTheProxyIsTheClient);
    CPPUNIT_TEST(testWhatIsNoAddressEndsTheWalk);
    CPPUNIT_TEST(testIpv6WorksToo);
    CPPUNIT_TEST(testOddlyWrittenAddressIsNone);
    CPPUNIT_TEST(testMappedAddressIsTheSameClient);
    CPPUNIT_TEST(testPeerOnALinkIsComparedWithoutItsInterface);
    CPPUNIT_TEST(testSchemeIsWhatATrustedProxySays);
    CPPUNIT_TEST_SUITE_END();

public:
    void testSchemeIsWhatATrustedProxySays() {
        const auto schemeOf = [](const char* peer, const char* forwarded) {
            Poco::Net::HTTPRequest request("GET", "/", "HTTP/1.1");
            request.add("X-Forwarded-Proto", forwarded);
            return std::string(host::clientScheme(Poco::Net::IPAddress(peer), request,
                                                  {host::AddressRange::parse("10.0.0.0/8").value()}));
        };
        CPPUNIT_ASSERT_EQUAL(std::string("https"), schemeOf("10.0.0.1", "https"));
        CPPUNIT_ASSERT_EQUAL(std::string("https"), schemeOf("10.0.0.1", "http, HTTPS"));
        CPPUNIT_ASSERT_EQUAL(std::string("http"), schemeOf("10.0.0.1", "https, http"));
        CPPUNIT_ASSERT_EQUAL(std::string("http"), schemeOf("10.0.0.1", "gopher"));
        CPPUNIT_ASSERT_EQUAL(std::string("http"), schemeOf("192.0.2.7", "https"));
    }

    void testWithoutTrustedProxiesThePeerIsTheClient() {
        CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), clientOf("192.0.2.7", {"203.0.113.9"}, {}));
    }

    void testHeaderOfAnUntrustedPeerIsIgnored() {
        CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), clientOf("192.0.2.7", {"203.0.113.9"}, {"10.0.0.0/8"}));
    }

    void testTrustedProxyNamesTheClient() {
        CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"), clientOf("10.0.0.1", {"203.0.113.9"}, {"10.0.0.0/8"}));
    }

    void testWhatTheClientPutBeforeItsOwnAddressIsIgnored() {
        CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                             clientOf("10.0.0.1", {"198.51.100.1, 203.0.113.9"}, {"10.0.0.0/8"}));
    }

    void testChainOfTrustedProxiesIsWalkedBack() {
        CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                             clientOf("10.0.0.1", {"198.51.100.1,203.0.113.9 , 10.1.1.1,10.2.2.2"}, {"10.0.0.0/8"}));
    }

    // HAProxy adds a line of its own behind the one that the client sent.
    void testSeveralHeaderLinesAreOneList() {
        CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                             clientOf("10.0.0.1", {"198.51.100.1", "203.0.113.9"}, {"10.0.0.0/8"}));
        CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                             clientOf("10.0.0.1", {"203.0.113.9", "10.1.1.1"}, {"10.0.0.0/8"}));
    }

    void testListOfProxiesOnlyGivesTheFirst() {
        CPPUNIT_ASSERT_EQUAL(std::string("10.1.1.1"), clientOf("10.0.0.1", {"10.1.1.1, 10.2.2.2"}, {"10.0.0.0/8"}));
    }

    void testWithoutHeaderTheProxyIsTheClient() {
        CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.1"), clientOf("10.0.0.1", {}, {"10.0.0.0/8"}));
        CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.1"), clientOf("10.0.0.1", {""}, {"10.0.0.0/8"}));
    }

    void testWhatIsNoAddressEndsTheWalk() {
        CPPUNIT_ASSERT_EQUAL(std::string("10.1.1.1"),
                             clientOf("10.0.0.1", {"203.0.113.9, unknown, 10.1.1.1"}, {"10.0.0.0/8"}));
        CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.1"), clientOf("10.0.0.1", {"203.0.113.9;evil"}, {"10.0.0.0/8"}));
    }

    void testIpv6WorksToo() {
        CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::9"), clientOf("fd00::1", {"2001:db8::9"}, {"fd00::/8"}));
    }

    // Read leniently, the first is 8.0.0.1, the next two are 127.0.0.1, which is trusted here.
    void testOddlyWrittenAddressIsNone() {
        for (const char* odd : {"010.0.0.1", "0x7f000001", "127.1", "2130706433", "1.2.3", "1.2.3.4.", "1.2.3.4:80",
                                "[::1]", "fe80::1%lo", "::ffff:010.0.0.1", "1.2.3.4/8"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                odd, std::string("10.0.0.1"),
                clientOf("10.0.0.1", {std::string("203.0.113.9, ") + odd}, {"10.0.0.0/8", "127.0.0.0/8"}));
    }

    void testMappedAddressIsTheSameClient() {
        const std::string client = "1.2.3.10";
        CPPUNIT_ASSERT_EQUAL(client, clientOf("10.0.0.1", {"::ffff:1.2.3.10"}, {"10.0.0.0/8"}));
        CPPUNIT_ASSERT_EQUAL(client, clientOf("::ffff:10.0.0.1", {"1.2.3.10"}, {"10.0.0.0/8"}));
        CPPUNIT_ASSERT_EQUAL(client, clientOf("10.0.0.1", {"1.2.3.10"}, {"::ffff:10.0.0.0/104"}));
        CPPUNIT_ASSERT_EQUAL(client, clientOf("::ffff:10.0.0.1", {"1.2.3.10"}, {"::ffff:10.0.0.1"}));
        CPPUNIT_ASSERT_EQUAL(client, clientOf("::ffff:1.2.3.10", {}, {}));
    }

    void testPeerOnALinkIsComparedWithoutItsInterface() {
        CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::9"), clientOf("fe80::1%lo", {"2001:db8::9"}, {"fe80::/10"}));
        CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::9"), clientOf("fe80::1%lo", {"2001:db8::9"}, {"fe80::1%lo"}));
        const auto stranger = clientOf("fe80::1%lo", {"2001:db8::9"}, {"2001:db8::/32"});
        CPPUNIT_ASSERT_MESSAGE(stranger, stranger.starts_with("fe80::1"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ClientAddressTest);

} // namespace supplierd::tests
