#include "host/config/ClientNetwork.h"

#include "host/config/AddressRange.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace supplierd::host {

using Poco::Net::IPAddress;

namespace {

constexpr unsigned char IPV4 = 4;
constexpr unsigned char IPV6 = 6;
constexpr unsigned NETWORK_BITS = 64;

} // namespace

ClientNetwork::ClientNetwork(const IPAddress& address) {
    const auto plain = withoutMapping(address);
    _bytes.front() = plain.family() == IPAddress::IPv6 ? IPV6 : IPV4;
    std::memcpy(_bytes.data() + 1, plain.addr(), std::min<std::size_t>(plain.length(), _bytes.size() - 1));
}

ClientNetwork ClientNetwork::ofText(std::string_view address) {
    if (const auto parsed = parseAddress(address))
        return ClientNetwork(*parsed);
    ClientNetwork network; // of no family
    const auto hash = std::hash<std::string_view>()(address);
    std::memcpy(network._bytes.data() + 1, &hash, std::min(sizeof hash, network._bytes.size() - 1));
    return network;
}

std::string ClientNetwork::toString() const {
    std::array<unsigned char, 16> whole{};
    std::copy(_bytes.begin() + 1, _bytes.end(), whole.begin());
    if (_bytes.front() == IPV4)
        return IPAddress(whole.data(), 4).toString();
    return AddressRange{IPAddress(whole.data(), whole.size()), NETWORK_BITS}.toString();
}

std::size_t ClientNetwork::Hash::operator()(const ClientNetwork& network) const noexcept {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(network._bytes.data()), network._bytes.size()});
}

} // namespace supplierd::host
