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
    CPPUNIT_TEST_SUITE_END();

public:
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
};

CPPUNIT_TEST_SUITE_REGISTRATION(ClientAddressTest);

} // namespace supplierd::tests
