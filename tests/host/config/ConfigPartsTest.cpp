#include "host/config/AddressRange.h"
#include "host/config/ClientNetwork.h"
#include "host/config/ConfigUnits.h"
#include "host/config/NearestName.h"
#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::AddressRange;
using Poco::Net::IPAddress;

class ConfigPartsTest : public CppUnit::TestFixture {};

TEST(ConfigPartsTest, durationsAreReadWithTheirUnit) {
    CPPUNIT_ASSERT(250ms == host::parseDuration("250ms"));
    CPPUNIT_ASSERT(5s == host::parseDuration("5s"));
    CPPUNIT_ASSERT(2min == host::parseDuration("2m"));
    CPPUNIT_ASSERT(1h == host::parseDuration("1h"));
    CPPUNIT_ASSERT(168h == host::parseDuration("7d"));
    CPPUNIT_ASSERT(0ms == host::parseDuration("0s"));
    CPPUNIT_ASSERT(0ms == host::parseDuration("0"));
}

TEST(ConfigPartsTest, whatIsNoDurationIsRefused) {
    for (const char* text :
         {"", "5", "s", "5 s", " 5s", "5S", "-5s", "+5s", "5.5s", "1h30m", "00", "-0", "9223372036854775807d"})
        CPPUNIT_ASSERT_MESSAGE(text, !host::parseDuration(text));
}

TEST(ConfigPartsTest, durationsAreWrittenInTheLargestUnit) {
    CPPUNIT_ASSERT_EQUAL(std::string("1500ms"), host::formatDuration(1'500ms));
    CPPUNIT_ASSERT_EQUAL(std::string("90s"), host::formatDuration(90s));
    CPPUNIT_ASSERT_EQUAL(std::string("1d"), host::formatDuration(24h));
    CPPUNIT_ASSERT_EQUAL(std::string("0ms"), host::formatDuration(0ms));
}

TEST(ConfigPartsTest, sizesAreReadWithAndWithoutUnit) {
    CPPUNIT_ASSERT(std::int64_t(512) == host::parseSize("512"));
    CPPUNIT_ASSERT(std::int64_t(65'536) == host::parseSize("64KiB"));
    CPPUNIT_ASSERT(std::int64_t(5'242'880) == host::parseSize("5MiB"));
    CPPUNIT_ASSERT_EQUAL(std::string("5MiB"), host::formatSize(5'242'880));
    CPPUNIT_ASSERT_EQUAL(std::string("1000"), host::formatSize(1'000));
}

TEST(ConfigPartsTest, whatIsNoSizeIsRefused) {
    for (const char* text : {"", "KiB", "5 MiB", "5MB", "5kib", "-1", "9223372036854775807GiB"})
        CPPUNIT_ASSERT_MESSAGE(text, !host::parseSize(text));
}

TEST(ConfigPartsTest, oneSlipOfTheFingerIsOneEdit) {
    CPPUNIT_ASSERT_EQUAL(std::size_t(0), host::editDistance("port", "port"));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), host::editDistance("pool_sise", "pool_size"));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), host::editDistance("prot", "port"));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), host::editDistance("prt", "port"));
    CPPUNIT_ASSERT_EQUAL(std::size_t(4), host::editDistance("", "port"));
}

TEST(ConfigPartsTest, nothingNearMeansNoSuggestion) {
    const std::vector<std::string> names{"host", "port", "pool_size"};
    CPPUNIT_ASSERT_EQUAL(std::string("pool_size"), host::nearestName("poolsize", names));
    CPPUNIT_ASSERT_EQUAL(std::string("; did you mean 'port'?"), host::suggestion("prot", names));
    CPPUNIT_ASSERT_EQUAL(std::string(), host::suggestion("colour", names));
    CPPUNIT_ASSERT_EQUAL(std::string(), host::suggestion("ab", names));
}

TEST(ConfigPartsTest, rangeContainsItsAddresses) {
    const auto range = AddressRange::parse("10.0.0.0/8");
    CPPUNIT_ASSERT(range && range->contains(IPAddress("10.255.0.1")));
    CPPUNIT_ASSERT(!range->contains(IPAddress("11.0.0.1")));
    CPPUNIT_ASSERT(!range->contains(IPAddress("::1")));
    const auto single = AddressRange::parse("192.0.2.7");
    CPPUNIT_ASSERT(single && single->contains(IPAddress("192.0.2.7")));
    CPPUNIT_ASSERT(!single->contains(IPAddress("192.0.2.8")));
    const auto wide = AddressRange::parse("2001:db8::/32");
    CPPUNIT_ASSERT(wide && wide->contains(IPAddress("2001:db8:1::7")));
    CPPUNIT_ASSERT(!wide->contains(IPAddress("2001:db9::7")));
    const auto all = AddressRange::parse("0.0.0.0/0");
    CPPUNIT_ASSERT(all && all->contains(IPAddress("203.0.113.9")));
}

TEST(ConfigPartsTest, mappedAddressCountsAsItsIpv4Address) {
    const auto range = AddressRange::parse("10.0.0.0/8");
    CPPUNIT_ASSERT(range && range->contains(IPAddress("::ffff:10.1.2.3")));
    CPPUNIT_ASSERT(!range->contains(IPAddress("::ffff:11.1.2.3")));
    const auto mapped = AddressRange::parse("::ffff:10.0.0.0/104");
    CPPUNIT_ASSERT(mapped && mapped->contains(IPAddress("10.1.2.3")));
    CPPUNIT_ASSERT(!mapped->contains(IPAddress("11.1.2.3")));
    const auto odd = AddressRange::parse("192.0.2.128/25");
    CPPUNIT_ASSERT(odd && odd->contains(IPAddress("192.0.2.200")));
    CPPUNIT_ASSERT(!odd->contains(IPAddress("192.0.2.127")));
}

TEST(ConfigPartsTest, aClientIsAnIpv4AddressOrTheNetworkOfAnIpv6One) {
    using host::ClientNetwork;
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), ClientNetwork(IPAddress("192.0.2.7")).toString());
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), ClientNetwork::ofText("::ffff:192.0.2.7").toString());
    CPPUNIT_ASSERT_EQUAL(std::string("2001:db8:1:2::/64"), ClientNetwork::ofText("2001:db8:1:2:3::4").toString());
    CPPUNIT_ASSERT(ClientNetwork::ofText("2001:db8:1:2::1") == ClientNetwork::ofText("2001:db8:1:2:ffff::1"));
    CPPUNIT_ASSERT(ClientNetwork::ofText("2001:db8:1:2::1") != ClientNetwork::ofText("2001:db8:1:3::1"));
    CPPUNIT_ASSERT(ClientNetwork::ofText("192.0.2.7") != ClientNetwork::ofText("192.0.2.8"));
    CPPUNIT_ASSERT(ClientNetwork::ofText("one") != ClientNetwork::ofText("other"));
}

TEST(ConfigPartsTest, malformedRangesAreRefused) {
    for (const char* text :
         {"", "10", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/x", "010.0.0.0/8", "10.0/8", "10.0.0.1/8", "::/129",
          "proxy.example", "0x7f000001", "127.1", "2001:db8::1/32", "::ffff:10.0.0.1/104", "fe80::1%no-such-interface"})
        CPPUNIT_ASSERT_MESSAGE(text, !AddressRange::parse(text));
}

} // namespace supplierd::tests
