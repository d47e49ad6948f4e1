#include "host/outbound/AddressPolicy.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::host {

using Poco::Net::IPAddress;

namespace {

// iana-ipv4-special-registry, as of 2025, and multicast.
constexpr std::array<std::string_view, 20> SPECIAL_IPV4{
    "0.0.0.0/8",          // this network
    "10.0.0.0/8",         // private
    "100.64.0.0/10",      // shared between carriers and their customers (CGNAT)
    "127.0.0.0/8",        // loopback
    "169.254.0.0/16",     // link-local, the clouds' metadata
    "172.16.0.0/12",      // private
    "192.0.0.0/24",       // IETF protocol assignments
    "192.0.2.0/24",       // documentation
    "192.31.196.0/24",    // AS112
    "192.52.193.0/24",    // AMT
    "192.88.99.0/24",     // 6to4 relays
    "192.168.0.0/16",     // private
    "192.175.48.0/24",    // AS112
    "198.18.0.0/15",      // benchmarking
    "198.51.100.0/24",    // documentation
    "203.0.113.0/24",     // documentation
    "224.0.0.0/4",        // multicast
    "240.0.0.0/4",        // reserved
    "255.255.255.255/32", // broadcast
    "168.63.129.16/32",   // in no registry: the host of every Azure machine
};

// iana-ipv6-special-registry within 2000::/3; all that lies outside is refused anyway.
constexpr std::array<std::string_view, 5> SPECIAL_IPV6{
    "2001::/23",         // IETF protocol assignments: Teredo, ORCHID, benchmarking and others
    "2001:db8::/32",     // documentation
    "2002::/16",         // 6to4
    "2620:4f:8000::/48", // AS112
    "3fff::/20",         // documentation
};

template <std::size_t N>
std::vector<AddressNetwork> networks(const std::array<std::string_view, N>& texts) {
    std::vector<AddressNetwork> result;
    for (const auto text : texts)
        result.push_back(AddressNetwork::parse(text).value());
    return result;
}

bool holds(const std::vector<AddressNetwork>& networks, const IPAddress& address) {
    return std::ranges::any_of(networks, [&](const AddressNetwork& network) { return isWithin(address, network); });
}

const std::uint8_t* rawBytes(const IPAddress& address) {
    return static_cast<const std::uint8_t*>(address.addr());
}

/// An interface identifier that means "tunnel to this IPv4 address" in any network.
bool isIsatap(const IPAddress& address) {
    const auto* identifier = rawBytes(address) + 8;
    return (identifier[0] & ~0x02) == 0 && identifier[1] == 0 && identifier[2] == 0x5e && identifier[3] == 0xfe;
}

bool isPublicIPv4(const IPAddress& address) {
    static const auto special = networks(SPECIAL_IPV4);
    return !holds(special, address);
}

bool isPublicIPv6(const IPAddress& address) {
    static const auto globalUnicast = AddressNetwork::parse("2000::/3").value();
    static const auto special = networks(SPECIAL_IPV6);
    static const auto mapped = AddressNetwork::parse("::ffff:0:0/96").value();
    static const auto nat64 = AddressNetwork::parse("64:ff9b::/96").value();
    if (isWithin(address, mapped) || isWithin(address, nat64))
        return isPublicIPv4(IPAddress(rawBytes(address) + 12, 4));
    return isWithin(address, globalUnicast) && !holds(special, address) && !isIsatap(address);
}

} // namespace

AddressPolicy::AddressPolicy(std::vector<AddressNetwork> allowNetworks) : _allowNetworks(std::move(allowNetworks)) {}

bool AddressPolicy::allows(const IPAddress& address) const {
    return isPublicUnicast(address) || holds(_allowNetworks, address);
}

bool isWithin(const IPAddress& address, const AddressNetwork& network) {
    return network.contains({rawBytes(address), static_cast<std::size_t>(address.length())});
}

bool isPublicUnicast(const IPAddress& address) {
    return address.family() == IPAddress::IPv4 ? isPublicIPv4(address) : isPublicIPv6(address);
}

} // namespace supplierd::host
