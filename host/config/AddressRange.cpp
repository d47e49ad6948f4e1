#include "host/config/AddressRange.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <charconv>
#include <climits>
#include <cstddef>

namespace supplierd::host {

using Poco::Net::IPAddress;

namespace {

constexpr unsigned MAPPED_BITS = 96; // ::ffff:0:0/96

unsigned bits(const IPAddress& address) {
    return static_cast<unsigned>(address.length()) * CHAR_BIT;
}

const unsigned char* bytes(const IPAddress& address) {
    return static_cast<const unsigned char*>(address.addr());
}

/// The number of an interface by its name, or as digits; 0: there is none.
unsigned scopeOf(const std::string& name) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size())
        return number;
    return ::if_nametoindex(name.c_str());
}

/// Whether the first bits are the same. Of one family.
bool agree(const IPAddress& a, const IPAddress& b, unsigned prefix) {
    const unsigned whole = prefix / CHAR_BIT;
    for (unsigned i = 0; i < whole; ++i)
        if (bytes(a)[i] != bytes(b)[i])
            return false;
    const unsigned rest = prefix % CHAR_BIT;
    if (rest == 0)
        return true;
    const auto mask = static_cast<unsigned char>(UCHAR_MAX << (CHAR_BIT - rest));
    return ((bytes(a)[whole] ^ bytes(b)[whole]) & mask) == 0;
}

bool isBlankBehind(const IPAddress& address, unsigned prefix) {
    for (unsigned bit = prefix; bit < bits(address); ++bit)
        if ((bytes(address)[bit / CHAR_BIT] >> (CHAR_BIT - 1 - bit % CHAR_BIT) & 1) != 0)
            return false;
    return true;
}

} // namespace

std::optional<IPAddress> parseAddress(std::string_view text) {
    const std::string whole(text);
    if (in_addr v4{}; ::inet_pton(AF_INET, whole.c_str(), &v4) == 1 && whole.size() == text.size())
        return IPAddress(&v4, sizeof v4);
    const auto percent = whole.find('%');
    in6_addr v6{};
    if (whole.find('\0') != std::string::npos || ::inet_pton(AF_INET6, whole.substr(0, percent).c_str(), &v6) != 1)
        return std::nullopt;
    const unsigned scope = percent == std::string::npos ? 0 : scopeOf(whole.substr(percent + 1));
    if (percent != std::string::npos && scope == 0)
        return std::nullopt;
    return IPAddress(&v6, sizeof v6, scope);
}

IPAddress withoutMapping(const IPAddress& address) {
    if (address.family() != IPAddress::IPv6 || !address.isIPv4Mapped())
        return address;
    return IPAddress(bytes(address) + MAPPED_BITS / CHAR_BIT, sizeof(in_addr));
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    auto address = parseAddress(text.substr(0, slash));
    if (!address)
        return std::nullopt;
    unsigned prefix = bits(*address);
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
        if (error != std::errc() || end != digits.data() + digits.size() || prefix > bits(*address))
            return std::nullopt;
    }
    if (!isBlankBehind(*address, prefix))
        return std::nullopt;
    if (const auto plain = withoutMapping(*address); plain.family() != address->family() && prefix >= MAPPED_BITS)
        return AddressRange{plain, prefix - MAPPED_BITS};
    return AddressRange{*address, prefix};
}

bool AddressRange::contains(const IPAddress& candidate) const {
    const IPAddress plain = withoutMapping(candidate);
    if (plain.family() != address.family())
        return false;
    const auto scope = address.family() == IPAddress::IPv6 ? address.scope() : 0;
    return (scope == 0 || scope == plain.scope()) && agree(plain, address, prefixLength);
}

std::string AddressRange::toString() const {
    return address.toString() + "/" + std::to_string(prefixLength);
}

} // namespace supplierd::host
