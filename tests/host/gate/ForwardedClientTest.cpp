#include "host/gate/ForwardedClient.h"

#include "tests/support/Test.h"

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

class ForwardedClientTest : public CppUnit::TestFixture {};

TEST(ForwardedClientTest, forwardedOfAnUntrustedPeerIsIgnored) {
    CPPUNIT_ASSERT_EQUAL("192.0.2.7 http"s, clientOf("192.0.2.7", {"for=203.0.113.9;proto=https"}));
}

TEST(ForwardedClientTest, forwardedNamesClientAndScheme) {
    CPPUNIT_ASSERT_EQUAL("203.0.113.9 https"s, clientOf("10.0.0.1", {"for=203.0.113.9;proto=https;by=10.0.0.1"}));
    CPPUNIT_ASSERT_EQUAL("203.0.113.9 https"s, clientOf("10.0.0.1", {"Proto=HTTPS; For=\"203.0.113.9:4711\""}));
    CPPUNIT_ASSERT_EQUAL("2001:db8::9 http"s, clientOf("10.0.0.1", {"for=\"[2001:db8::9]:80\""}));
    CPPUNIT_ASSERT_EQUAL("203.0.113.9 http"s, clientOf("10.0.0.1", {"for=203.0.113.9;ext=\"a,b;for=1.2.3.4\""}));
}

TEST(ForwardedClientTest, forwardedIsWalkedBackThroughTrustedProxies) {
    CPPUNIT_ASSERT_EQUAL("203.0.113.9 https"s, clientOf("10.0.0.1", {"for=198.51.100.1;proto=http",
                                                                     "for=203.0.113.9;proto=https,for=10.2.2.2"}));
    CPPUNIT_ASSERT_EQUAL("10.2.2.2 http"s, clientOf("10.0.0.1", {"for=10.2.2.2"}));
}

TEST(ForwardedClientTest, hiddenClientIsTheProxyThatHidIt) {
    CPPUNIT_ASSERT_EQUAL("10.2.2.2 http"s, clientOf("10.0.0.1", {"for=203.0.113.9, for=unknown, for=10.2.2.2"}));
    CPPUNIT_ASSERT_EQUAL("10.0.0.1 https"s, clientOf("10.0.0.1", {"for=203.0.113.9, for=_hidden;proto=https"}));
    CPPUNIT_ASSERT_EQUAL("10.0.0.1 http"s, clientOf("10.0.0.1", {"for=203.0.113.9, by=10.0.0.1"}));
}

TEST(ForwardedClientTest, brokenForwardedMeansNothing) {
    for (const auto* line : {"203.0.113.9", "for=\"203.0.113.9", "for=203.0.113.9;=x", "for=203.0.113.9,x", "for",
                             "for=\"[203.0.113.9\"", "for=010.0.0.1", "for=\"[fe80::1%lo]\"", "for =203.0.113.9"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(line, "10.0.0.1 http"s, clientOf("10.0.0.1", {line}));
}

// A proxy that writes one of them lets the other through as its client sent it.
TEST(ForwardedClientTest, onlyTheFieldsOfTheConfiguredSourceAreBelieved) {
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

TEST(ForwardedClientTest, schemeOfTheConnectionStandsWhenNobodySays) {
    const ForwardedFields none(ForwardedSource::XForwarded);
    const auto client = ForwardedClient::find(Poco::Net::IPAddress("192.0.2.7"), "https", none, {});
    CPPUNIT_ASSERT_EQUAL("https"s, std::string(client.scheme));
}

namespace {

using Lines = std::vector<std::string>;

std::string clientOf(const std::string& peer, const Lines& forwardedFor, const Lines& trusted) {
    ForwardedFields fields(ForwardedSource::XForwarded);
    for (const auto& line : forwardedFor)
        fields.add("X-Forwarded-For", line);
    std::vector<host::AddressRange> proxies;
    for (const auto& range : trusted)
        proxies.push_back(host::AddressRange::parse(range).value());
    return ForwardedClient::find(Poco::Net::IPAddress(peer), "http", fields, proxies).address.toString();
}

} // namespace

class XForwardedClientTest : public CppUnit::TestFixture {};

TEST(XForwardedClientTest, withoutTrustedProxiesThePeerIsTheClient) {
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), clientOf("192.0.2.7", {"203.0.113.9"}, {}));
}

TEST(XForwardedClientTest, headerOfAnUntrustedPeerIsIgnored) {
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), clientOf("192.0.2.7", {"203.0.113.9"}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, trustedProxyNamesTheClient) {
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"), clientOf("10.0.0.1", {"203.0.113.9"}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, whatTheClientPutBeforeItsOwnAddressIsIgnored) {
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                         clientOf("10.0.0.1", {"198.51.100.1, 203.0.113.9"}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, chainOfTrustedProxiesIsWalkedBack) {
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                         clientOf("10.0.0.1", {"198.51.100.1,203.0.113.9 , 10.1.1.1,10.2.2.2"}, {"10.0.0.0/8"}));
}

// HAProxy adds a line of its own behind the one that the client sent.
TEST(XForwardedClientTest, severalHeaderLinesAreOneList) {
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"),
                         clientOf("10.0.0.1", {"198.51.100.1", "203.0.113.9"}, {"10.0.0.0/8"}));
    CPPUNIT_ASSERT_EQUAL(std::string("203.0.113.9"), clientOf("10.0.0.1", {"203.0.113.9", "10.1.1.1"}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, listOfProxiesOnlyGivesTheFirst) {
    CPPUNIT_ASSERT_EQUAL(std::string("10.1.1.1"), clientOf("10.0.0.1", {"10.1.1.1, 10.2.2.2"}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, withoutHeaderTheProxyIsTheClient) {
    CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.1"), clientOf("10.0.0.1", {}, {"10.0.0.0/8"}));
    CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.1"), clientOf("10.0.0.1", {""}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, whatIsNoAddressEndsTheWalk) {
    CPPUNIT_ASSERT_EQUAL(std::string("10.1.1.1"),
                         clientOf("10.0.0.1", {"203.0.113.9, unknown, 10.1.1.1"}, {"10.0.0.0/8"}));
    CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.1"), clientOf("10.0.0.1", {"203.0.113.9;evil"}, {"10.0.0.0/8"}));
}

TEST(XForwardedClientTest, ipv6WorksToo) {
    CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::9"), clientOf("fd00::1", {"2001:db8::9"}, {"fd00::/8"}));
}

// Read leniently, the first is 8.0.0.1, the next two are 127.0.0.1, which is trusted here.
TEST(XForwardedClientTest, oddlyWrittenAddressIsNone) {
    for (const char* odd : {"010.0.0.1", "0x7f000001", "127.1", "2130706433", "1.2.3", "1.2.3.4.", "1.2.3.4:80",
                            "[::1]", "fe80::1%lo", "::ffff:010.0.0.1", "1.2.3.4/8"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(
            odd, std::string("10.0.0.1"),
            clientOf("10.0.0.1", {std::string("203.0.113.9, ") + odd}, {"10.0.0.0/8", "127.0.0.0/8"}));
}

TEST(XForwardedClientTest, mappedAddressIsTheSameClient) {
    const std::string client = "1.2.3.10";
    CPPUNIT_ASSERT_EQUAL(client, clientOf("10.0.0.1", {"::ffff:1.2.3.10"}, {"10.0.0.0/8"}));
    CPPUNIT_ASSERT_EQUAL(client, clientOf("::ffff:10.0.0.1", {"1.2.3.10"}, {"10.0.0.0/8"}));
    CPPUNIT_ASSERT_EQUAL(client, clientOf("10.0.0.1", {"1.2.3.10"}, {"::ffff:10.0.0.0/104"}));
    CPPUNIT_ASSERT_EQUAL(client, clientOf("::ffff:10.0.0.1", {"1.2.3.10"}, {"::ffff:10.0.0.1"}));
    CPPUNIT_ASSERT_EQUAL(client, clientOf("::ffff:1.2.3.10", {}, {}));
}

TEST(XForwardedClientTest, peerOnALinkIsComparedWithoutItsInterface) {
    CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::9"), clientOf("fe80::1%lo", {"2001:db8::9"}, {"fe80::/10"}));
    CPPUNIT_ASSERT_EQUAL(std::string("2001:db8::9"), clientOf("fe80::1%lo", {"2001:db8::9"}, {"fe80::1%lo"}));
    const auto stranger = clientOf("fe80::1%lo", {"2001:db8::9"}, {"2001:db8::/32"});
    CPPUNIT_ASSERT_MESSAGE(stranger, stranger.starts_with("fe80::1"));
}

TEST(XForwardedClientTest, schemeIsWhatATrustedProxySays) {
    const auto schemeOf = [](const char* peer, const char* forwarded) {
        ForwardedFields fields(ForwardedSource::XForwarded);
        fields.add("X-Forwarded-Proto", forwarded);
        return std::string(ForwardedClient::find(Poco::Net::IPAddress(peer), "http", fields,
                                                 {host::AddressRange::parse("10.0.0.0/8").value()})
                               .scheme);
    };
    CPPUNIT_ASSERT_EQUAL(std::string("https"), schemeOf("10.0.0.1", "https"));
    CPPUNIT_ASSERT_EQUAL(std::string("https"), schemeOf("10.0.0.1", "http, HTTPS"));
    CPPUNIT_ASSERT_EQUAL(std::string("http"), schemeOf("10.0.0.1", "https, http"));
    CPPUNIT_ASSERT_EQUAL(std::string("http"), schemeOf("10.0.0.1", "gopher"));
    CPPUNIT_ASSERT_EQUAL(std::string("http"), schemeOf("192.0.2.7", "https"));
}

} // namespace supplierd::tests
