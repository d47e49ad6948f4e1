#include "host/config/AddressRange.h"

#include <charconv>

namespace supplierd::host {

using Poco::Net::IPAddress;

namespace {

unsigned bits(const IPAddress& address) {
    return address.family() == IPAddress::IPv4 ? 32u : 128u;
}

IPAddress withoutMapping(const IPAddress& address) {
    if (address.family() != IPAddress::IPv6 || !address.isIPv4Mapped())
        return address;
    const auto* bytes = static_cast<const unsigned char*>(address.addr());
    return IPAddress(bytes + 12, 4);
}

} // namespace

std::optional<IPAddress> parseAddress(std::string_view text) {
    IPAddress address;
    if (!IPAddress::tryParse(std::string(text), address))
        return std::nullopt;
    if (address.family() == IPAddress::IPv4 && address.toString() != text)
        return std::nullopt;
    return address;
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto address = parseAddress(text.substr(0, slash));
    if (!address)
        return std::nullopt;
    unsigned prefix = bits(*address);
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
        if (error != std::errc() || end != digits.data() + digits.size() || prefix > bits(*address))
            return std::nullopt;
    }
    const IPAddress mask(prefix, address->family());
    if ((*address & mask) != *address)
        return std::nullopt;
    return AddressRange{*address, prefix};
}

bool AddressRange::contains(const IPAddress& candidate) const {
    const IPAddress plain = withoutMapping(candidate);
    if (plain.family() != address.family())
        return false;
    return (plain & IPAddress(prefixLength, address.family())) == address;
}

std::string AddressRange::toString() const {
    return address.toString() + "/" + std::to_string(prefixLength);
}

} // namespace supplierd::host
