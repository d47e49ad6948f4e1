#pragma once

#include <Poco/Net/IPAddress.h>

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace supplierd::host {

/// What limits count as one client: an IPv4 address, or the /64 of an IPv6 one, which is what a client gets.
/// ::ffff:10.0.0.1 is 10.0.0.1. A value type.
class ClientNetwork {
public:
    explicit ClientNetwork(const Poco::Net::IPAddress& address);
    /// Of an address as RequestHead::clientAddress() has it. Each text that is no address is a client of its own.
    static ClientNetwork ofText(std::string_view address);

    /// "10.0.0.1" or "2001:db8::/64".
    std::string toString() const;

    auto operator<=>(const ClientNetwork&) const = default;
    struct Hash {
        std::size_t operator()(const ClientNetwork& network) const noexcept;
    };

private:
    ClientNetwork() = default;

    std::array<unsigned char, 9> _bytes{}; ///< the family, and the address or the first half of it
};

} // namespace supplierd::host
