#include "AddressNetwork.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace supplierd::media {

using Poco::Net::IPAddress;

namespace {

bool isIPv4(const IPAddress& address) {
    return address.family() == IPAddress::IPv4;
}

std::span<const std::uint8_t> bytesOf(const IPAddress& address) {
    return {static_cast<const std::uint8_t*>(address.addr()), address.length()};
}

/// inet_pton takes four decimal numbers without leading zeros only, where Poco takes "10" and "010.0.0.1" too.
std::optional<IPAddress> parseStrictly(const std::string& text) {
    std::array<std::uint8_t, 16> bytes{};
    if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1)
        return IPAddress(bytes.data(), 4);
    if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1)
        return IPAddress(bytes.data(), 16);
    return std::nullopt;
}

bool bitAt(std::span<const std::uint8_t> bytes, unsigned index) {
    return (bytes[index / 8] >> (7 - index % 8) & 1) != 0;
}

} // namespace

AddressNetwork::AddressNetwork(const IPAddress& address, unsigned prefixLength)
    : _prefixLength(prefixLength), _isIPv4(isIPv4(address)) {
    std::ranges::copy(bytesOf(address), _bytes.begin());
}

std::optional<AddressNetwork> AddressNetwork::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto address = parseStrictly(std::string(text.substr(0, slash)));
    if (!address)
        return std::nullopt;
    const auto bits = static_cast<unsigned>(address->length()) * 8;
    unsigned prefixLength = bits;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefixLength);
        if (error != std::errc() || end != digits.data() + digits.size() || prefixLength > bits)
            return std::nullopt;
    }
    for (unsigned i = prefixLength; i < bits; ++i)
        if (bitAt(bytesOf(*address), i))
            return std::nullopt;
    return AddressNetwork(*address, prefixLength);
}

bool AddressNetwork::contains(const IPAddress& address) const {
    if (isIPv4(address) != _isIPv4)
        return false;
    const auto bytes = bytesOf(address);
    const unsigned whole = _prefixLength / 8;
    if (std::memcmp(bytes.data(), _bytes.data(), whole) != 0)
        return false;
    const unsigned rest = _prefixLength % 8;
    return rest == 0 || (bytes[whole] ^ _bytes[whole]) >> (8 - rest) == 0;
}

std::string AddressNetwork::toString() const {
    return IPAddress(_bytes.data(), _isIPv4 ? 4 : 16).toString() + "/" + std::to_string(_prefixLength);
}

} // namespace supplierd::media
