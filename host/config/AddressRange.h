#pragma once

#include <Poco/Net/IPAddress.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// An IP address as people write it: four decimal numbers, or IPv6, which may name an interface of this machine behind
/// "%". Poco takes "10", "010.0.0.1" and "0x7f000001" too, which mean something unexpected.
std::optional<Poco::Net::IPAddress> parseAddress(std::string_view text);

/// An IPv4 address that came over an IPv6 socket (::ffff:10.0.0.1) as what it is; any other one as it is.
Poco::Net::IPAddress withoutMapping(const Poco::Net::IPAddress& address);

/// A range of IP addresses, written "10.0.0.0/8", "2001:db8::/32", or a single address. "::ffff:10.0.0.0/104" is
/// 10.0.0.0/8. A value type.
struct AddressRange {
    Poco::Net::IPAddress address;
    unsigned prefixLength = 0;

    /// Empty for anything else, also for a range with bits set behind its prefix ("10.0.0.1/8"), which is a slip.
    static std::optional<AddressRange> parse(std::string_view text);

    /// Addresses are compared without their mapping. On which interface a link-local one was seen counts only when the
    /// range names one (fe80::1%eth0).
    bool contains(const Poco::Net::IPAddress& candidate) const;
    std::string toString() const;
};

} // namespace supplierd::host
