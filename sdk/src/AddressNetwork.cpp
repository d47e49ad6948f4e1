#include <supplierd/AddressNetwork.h>

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

namespace supplierd {

namespace {

constexpr std::size_t IPV4_BYTES = 4;
constexpr std::size_t IPV6_BYTES = 16;

bool bitAt(std::span<const std::uint8_t> bytes, unsigned index) {
    return (bytes[index / 8] >> (7 - index % 8) & 1) != 0;
}

} // namespace

std::optional<AddressNetwork> AddressNetwork::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string address(text.substr(0, slash));
    AddressNetwork network;
    network.isIPv4 = ::inet_pton(AF_INET, address.c_str(), network.bytes.data()) == 1;
    if (!network.isIPv4 && ::inet_pton(AF_INET6, address.c_str(), network.bytes.data()) != 1)
        return std::nullopt;
    const unsigned bits = 8 * (network.isIPv4 ? IPV4_BYTES : IPV6_BYTES);
    network.prefixLength = bits;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), network.prefixLength);
        if (error != std::errc() || end != digits.data() + digits.size() || network.prefixLength > bits)
            return std::nullopt;
    }
    for (unsigned i = network.prefixLength; i < bits; ++i)
        if (bitAt(network.bytes, i))
            return std::nullopt;
    return network;
}

bool AddressNetwork::contains(std::span<const std::uint8_t> address) const {
    if (address.size() != (isIPv4 ? IPV4_BYTES : IPV6_BYTES))
        return false;
    const unsigned whole = prefixLength / 8;
    if (std::memcmp(address.data(), bytes.data(), whole) != 0)
        return false;
    const unsigned rest = prefixLength % 8;
    return rest == 0 || (address[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

std::string AddressNetwork::toString() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
    return std::string(text.data()) + "/" + std::to_string(prefixLength);
}

} // namespace supplierd
