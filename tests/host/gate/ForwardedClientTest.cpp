#include "host/gate/ForwardedClient.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace supplierd::tests {

using host::ForwardedClient;
using host::ForwardedFields;
using host::ForwardedSource;
using namespace std::string_literals;

namespace {

/// "address scheme" of a request of the peer with these lines of Forwarded, when 10.0.0.0/8 are trusted proxies.
std::string clientOf(const char* peer, const std::vector<std::string>& lines) {
    ForwardedFields fields(ForwardedSource::Forwarded);
    for (const auto& line : lines)
        fields.add("Forwarded", line);
    const auto client = ForwardedClient::find(Poco::Net::IPAddress(peer), "http", fields,
                                              {host::AddressRange::parse("10.0.0.0/8").value()});
    return client.address.toString() + " " + std::string(client.scheme);
}

} // namespace

class ForwardedClientTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ForwardedClientTest);
    CPPUNIT_TEST(testForwardedOfAnUntrustedPeerIsIgnored);
    CPPUNIT_TEST(testForwardedNamesClientAndScheme);
    CPPUNIT_TEST(testForwardedIsWalkedBackThroughTrustedProxies);
    CPPUNIT_TEST(testHiddenClientIsTheProxyThatHidIt);
    CPPUNIT_TEST(testBrokenForwardedMeansNothing);
    CPPUNIT_TEST(testOnlyTheFieldsOfTheConfiguredSourceAreBelieved);
    CPPUNIT_TEST(testSchemeOfTheConnectionStandsWhenNobodySays);
    CPPUNIT_TEST_SUITE_END();

public:
    void testForwardedOfAnUntrustedPeerIsIgnored() {
        CPPUNIT_ASSERT_EQUAL("192.0.2.7 http"s, clientOf("192.0.2.7", {"for=203.0.113.9;proto=https"}));
    }

    void testForwardedNamesClientAndScheme() {
        CPPUNIT_ASSERT_EQUAL("203.0.113.9 https"s, clientOf("10.0.0.1", {"for=203.0.113.9;proto=https;by=10.0.0.1"}));
        CPPUNIT_ASSERT_EQUAL("203.0.113.9 https"s, clientOf("10.0.0.1", {"Proto=HTTPS; For=\"203.0.113.9:4711\""}));
        CPPUNIT_ASSERT_EQUAL("2001:db8::9 http"s, clientOf("10.0.0.1", {"for=\"[2001:db8::9]:80\""}));
        CPPUNIT_ASSERT_EQUAL("203.0.113.9 http"s, clientOf("10.0.0.1", {"for=203.0.113.9;ext=\"a,b;for=1.2.3.4\""}));
    }

    void testForwardedIsWalkedBackThroughTrustedProxies() {
        CPPUNIT_ASSERT_EQUAL("203.0.113.9 https"s, clientOf("10.0.0.1", {"for=198.51.100.1;proto=http",
                                                                         "for=203.0.113.9;proto=https,for=10.2.2.2"}));
        CPPUNIT_ASSERT_EQUAL("10.2.2.2 http"s, clientOf("10.0.0.1", {"for=10.2.2.2"}));
    }

    void testHiddenClientIsTheProxyThatHidIt() {
        CPPUNIT_ASSERT_EQUAL("10.2.2.2 http"s, clientOf("10.0.0.1", {"for=203.0.113.9, for=unknown, for=10.2.2.2"}));
        CPPUNIT_ASSERT_EQUAL("10.0.0.1 https"s, clientOf("10.0.0.1", {"for=203.0.113.9, for=_hidden;proto=https"}));
        CPPUNIT_ASSERT_EQUAL("10.0.0.1 http"s, clientOf("10.0.0.1", {"for=203.0.113.9, by=10.0.0.1"}));
    }

    void testBrokenForwardedMeansNothing() {
        for (const auto* line : {"203.0.113.9", "for=\"203.0.113.9", "for=203.0.113.9;=x", "for=203.0.113.9,x", "for",
                                 "for=\"[203.0.113.9\"", "for=010.0.0.1", "for=\"[fe80::1%lo]\"", "for =203.0.113.9"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(line, "10.0.0.1 http"s, clientOf("10.0.0.1", {line}));
    }

    // A proxy that writes one of them lets the other through as its client sent it.
    void testOnlyTheFieldsOfTheConfiguredSourceAreBelieved() {
        for (const auto source : {ForwardedSource::Forwarded, ForwardedSource::XForwarded}) {
            ForwardedFields fields(source);
            fields.add("X-Forwarded-For", "203.0.113.1");
            fields.add("x-forwarded-proto", "https");
            fields.add("forwarded", "for=203.0.113.2;proto=http");
            const auto client = ForwardedClient::find(Poco::Net::IPAddress("10.0.0.1"), "http", fields,
                                                      {host::AddressRange::parse("10.0.0.0/8").value()});
            const bool isX = source == ForwardedSource::XForwarded;
            CPPUNIT_ASSERT_EQUAL(isX ? "203.0.113.1"s : "203.0.113.2"s, client.address.toString());
            CPPUNIT_ASSERT_EQUAL(isX ? "https"s : "http"s, std::string(client.scheme));
        }
    }

    void testSchemeOfTheConnectionStandsWhenNobodySays() {
        const ForwardedFields none(ForwardedSource::XForwarded);
        const auto client = ForwardedClient::find(Poco::Net::IPAddress("192.0.2.7"), "https", none, {});
        CPPUNIT_ASSERT_EQUAL("https"s, std::string(client.scheme));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ForwardedClientTest);

} // namespace supplierd::tests
