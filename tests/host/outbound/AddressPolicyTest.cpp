#include "host/outbound/AddressPolicy.h"

#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using host::AddressPolicy;
using host::isWithin;
using Poco::Net::IPAddress;

class AddressPolicyTest : public CppUnit::TestFixture {
protected:
    static void assertVerdict(bool expected, const AddressPolicy& policy, const std::vector<std::string>& addresses) {
        for (const auto& text : addresses)
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected, policy.allows(IPAddress::parse(text)));
    }

    static void assertAllowed(const std::vector<std::string>& addresses) { assertVerdict(true, {}, addresses); }
    static void assertRefused(const std::vector<std::string>& addresses) { assertVerdict(false, {}, addresses); }

    static AddressPolicy policyWith(const std::string& network) {
        return AddressPolicy({AddressNetwork::parse(network).value()});
    }
};

TEST(AddressPolicyTest, publicAddressesAreAllowed) {
    assertAllowed({"1.1.1.1", "8.8.8.8", "93.184.216.34", "223.255.255.255", "2606:4700:4700::1111",
                   "2001:4860:4860::8888", "2a00:1450:4001:81b::200e", "2400:cb00::1"});
}

TEST(AddressPolicyTest, everySpecialRangeIsRefusedFromItsFirstToItsLastAddress) {
    assertRefused({"0.0.0.0",         "0.255.255.255",   "10.0.0.0",        "10.255.255.255",  "100.64.0.0",
                   "100.127.255.255", "127.0.0.0",       "127.255.255.255", "169.254.0.0",     "169.254.255.255",
                   "172.16.0.0",      "172.31.255.255",  "192.0.0.0",       "192.0.0.255",     "192.0.2.0",
                   "192.0.2.255",     "192.31.196.1",    "192.52.193.1",    "192.88.99.0",     "192.88.99.255",
                   "192.168.0.0",     "192.168.255.255", "192.175.48.1",    "198.18.0.0",      "198.19.255.255",
                   "198.51.100.0",    "198.51.100.255",  "203.0.113.0",     "203.0.113.255",   "224.0.0.0",
                   "239.255.255.255", "240.0.0.0",       "255.255.255.254", "255.255.255.255", "168.63.129.16"});
    assertRefused({"::",
                   "::1",
                   "::2",
                   "100::",
                   "100::1",
                   "100:0:0:1::1",
                   "2001::",
                   "2001:1ff:ffff::1",
                   "2001:2::1",
                   "2001:3::1",
                   "2001:4:112::1",
                   "2001:10::1",
                   "2001:20::1",
                   "2001:30::1",
                   "2001:db8::",
                   "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                   "2002::",
                   "2620:4f:8000::1",
                   "3fff::",
                   "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                   "4000::1",
                   "5f00::1",
                   "8000::1",
                   "fc00::1",
                   "fd00:ec2::254",
                   "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                   "fe80::1",
                   "febf::1",
                   "fec0::1",
                   "ff00::1",
                   "ff02::1",
                   "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"});
}

TEST(AddressPolicyTest, theNeighboursOfSpecialRangesAreAllowed) {
    assertAllowed({"1.0.0.0",         "9.255.255.255",   "11.0.0.0",        "100.63.255.255", "100.128.0.0",
                   "126.255.255.255", "128.0.0.0",       "169.253.255.255", "169.255.0.0",    "172.15.255.255",
                   "172.32.0.0",      "191.255.255.255", "192.0.1.0",       "192.0.3.0",      "192.88.98.255",
                   "192.88.100.0",    "192.167.255.255", "192.169.0.0",     "198.17.255.255", "198.20.0.0",
                   "198.51.99.255",   "198.51.101.0",    "203.0.112.255",   "203.0.114.0",    "223.255.255.255",
                   "168.63.129.15"});
    assertAllowed({"2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1", "2620:4f:7fff::1", "2000::1", "3ffe::1"});
}

TEST(AddressPolicyTest, carriedIPv4IsJudged) {
    assertRefused({"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
                   "64:ff9b::127.0.0.1", "64:ff9b::192.168.1.1", "64:ff9b::a9fe:a9fe"});
    assertAllowed({"::ffff:8.8.8.8", "64:ff9b::8.8.8.8"});
}

TEST(AddressPolicyTest, tunnelsAreRefusedWhateverTheyCarry) {
    assertRefused({"::127.0.0.1", "::8.8.8.8",                               // IPv4-compatible
                   "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",                 // IPv4-translated
                   "64:ff9b:1::127.0.0.1", "64:ff9b:1::8.8.8.8",             // local NAT64
                   "2002:7f00:1::", "2002:808:808::1",                       // 6to4
                   "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001::8.8.8.8",  // Teredo
                   "2600:abcd::5efe:a00:1", "2600:abcd::200:5efe:808:808"}); // ISATAP
}

TEST(AddressPolicyTest, listedNetworksAreAllowedAsTheyAreWritten) {
    const auto policy = policyWith("127.0.0.0/8");
    assertVerdict(true, policy, {"127.0.0.1", "127.255.255.255", "8.8.8.8"});
    assertVerdict(false, policy, {"::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "::127.0.0.1", "::1", "10.0.0.1"});
    assertVerdict(true, policyWith("fd00:1::/32"), {"fd00:1::5"});
    assertVerdict(false, policyWith("fd00:1::/32"), {"fd00:2::5", "fe80::1", "127.0.0.1"});
}

TEST(AddressPolicyTest, internalNamesFollowListedNetworks) {
    CPPUNIT_ASSERT(!AddressPolicy().allowsInternalNames());
    CPPUNIT_ASSERT(policyWith("10.1.0.0/16").allowsInternalNames());
}

TEST(AddressPolicyTest, networksAreReadStrictly) {
    for (const std::string text : {"",
                                   "/",
                                   "10",
                                   "10.1",
                                   "010.0.0.0/8",
                                   "10.0.0.0/",
                                   "10.0.0.0/33",
                                   "10.0.0.0/-1",
                                   "10.0.0.0/+8",
                                   "10.0.0.0/8 ",
                                   " 10.0.0.0/8",
                                   "10.0.0.1/8",
                                   "0.0.0.1/0",
                                   "::1/64",
                                   "fe80::1%eth0",
                                   "fe80::/129",
                                   "::g/8",
                                   "localhost",
                                   "0x7f.0.0.1",
                                   "10.0.0.0/8/8",
                                   "[::1]"})
        CPPUNIT_ASSERT_MESSAGE(text, !AddressNetwork::parse(text));
    CPPUNIT_ASSERT_EQUAL(std::string("10.0.0.0/8"), AddressNetwork::parse("10.0.0.0/8")->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1/32"), AddressNetwork::parse("127.0.0.1")->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("fd00::/8"), AddressNetwork::parse("fd00::/8")->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("0.0.0.0/0"), AddressNetwork::parse("0.0.0.0/0")->toString());
}

TEST(AddressPolicyTest, networksHoldWhatTheirPrefixSays) {
    const auto network = AddressNetwork::parse("10.20.32.0/19").value();
    CPPUNIT_ASSERT(isWithin(IPAddress::parse("10.20.32.0"), network));
    CPPUNIT_ASSERT(isWithin(IPAddress::parse("10.20.63.255"), network));
    CPPUNIT_ASSERT(!isWithin(IPAddress::parse("10.20.64.0"), network));
    CPPUNIT_ASSERT(!isWithin(IPAddress::parse("10.20.31.255"), network));
    CPPUNIT_ASSERT(!isWithin(IPAddress::parse("::ffff:10.20.32.1"), network));
    CPPUNIT_ASSERT(isWithin(IPAddress::parse("255.1.2.3"), *AddressNetwork::parse("0.0.0.0/0")));
    CPPUNIT_ASSERT(!isWithin(IPAddress::parse("::1"), *AddressNetwork::parse("0.0.0.0/0")));
    CPPUNIT_ASSERT(!isWithin(IPAddress::parse("10.0.0.1"), *AddressNetwork::parse("::/0")));
}

} // namespace supplierd::tests
