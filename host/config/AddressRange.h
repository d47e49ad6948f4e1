#pragma once

#include <Poco/Net/IPAddress.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// An IP address as people write it. Poco takes "10" and "010.0.0.1" too, which mean something unexpected.
std::optional<Poco::Net::IPAddress> parseAddress(std::string_view text);

/// A range of IP addresses, written "10.0.0.0/8", "2001:db8::/32", or a single address. A value type.
struct AddressRange {
    Poco::Net::IPAddress address;
    unsigned prefixLength = 0;

    /// Empty for anything else, also for a range with bits set behind its prefix ("10.0.0.1/8"), which is a slip.
    static std::optional<AddressRange> parse(std::string_view text);

    /// An IPv4 address that came over an IPv6 socket (::ffff:10.0.0.1) counts as the IPv4 address.
    bool contains(const Poco::Net::IPAddress& candidate) const;
    std::string toString() const;
};

} // namespace supplierd::host
