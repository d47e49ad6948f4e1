#pragma once

#include <Poco/Net/IPAddress.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::media {

/// A range of IP addresses in CIDR form. IPv4 and IPv6 are kept apart: ::ffff:10.0.0.1 lies in no IPv4 network.
/// A value type.
class AddressNetwork {
public:
    /// "10.0.0.0/8", "2001:db8::/32" or a single address. Empty for anything else, also when bits are set behind the
    /// prefix ("10.0.0.1/8"), which is a slip, and for odd forms of IPv4 ("10.1", "010.0.0.0/8").
    static std::optional<AddressNetwork> parse(std::string_view text);

    bool contains(const Poco::Net::IPAddress& address) const;
    std::string toString() const;

private:
    AddressNetwork(const Poco::Net::IPAddress& address, unsigned prefixLength);

    std::array<std::uint8_t, 16> _bytes{};
    unsigned _prefixLength = 0;
    bool _isIPv4 = true;
};

} // namespace supplierd::media
