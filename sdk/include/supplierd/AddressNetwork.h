#pragma once

#include <supplierd/Abi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace supplierd {

/// A range of IP addresses in CIDR form. IPv4 and IPv6 are kept apart: ::ffff:10.0.0.1 lies in no IPv4 network.
/// A value type. Since 1.0.
struct SUPPLIERD_API AddressNetwork {
    /// In network order; IPv4 has the first four.
    std::array<std::uint8_t, 16> bytes{};
    unsigned prefixLength = 0;
    bool isIPv4 = true;

    /// "10.0.0.0/8", "2001:db8::/32" or a single address. Empty for anything else, also when bits are set behind the
    /// prefix ("10.0.0.1/8"), which is a slip, and for odd forms of IPv4 ("10.1", "010.0.0.0/8").
    static std::optional<AddressNetwork> parse(std::string_view text);

    /// `address` in network order: 4 bytes or 16.
    bool contains(std::span<const std::uint8_t> address) const;
    std::string toString() const;
};

} // namespace supplierd
