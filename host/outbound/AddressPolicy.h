#pragma once

#include <supplierd/AddressNetwork.h>

#include <Poco/Net/IPAddress.h>

#include <vector>

namespace supplierd::host {

/// Which addresses may be connected to: public unicast, and the networks that the rules list.
///
/// Public is what no special range of IANA's registries holds, of IPv6 only 2000::/3. An address that carries an IPv4
/// address is checked by it where it leads there by itself (::ffff:0:0/96, 64:ff9b::/96); 6to4, Teredo, ISATAP,
/// IPv4-compatible and local NAT64 forms are refused whatever they carry. A listed network allows the addresses as they
/// are written: 10.0.0.0/8 does not allow ::ffff:10.0.0.1.
/// Thread: any, after construction.
class AddressPolicy {
public:
    AddressPolicy() = default;
    explicit AddressPolicy(std::vector<AddressNetwork> allowNetworks);

    bool allows(const Poco::Net::IPAddress& address) const;

    /// Names that only an inner network knows (`localhost`, `metadata.google.internal`, single words) are worth a
    /// query only where an inner network is allowed. Their addresses are checked all the same.
    bool allowsInternalNames() const { return !_allowNetworks.empty(); }

private:
    std::vector<AddressNetwork> _allowNetworks;
};

/// Whether the address lies in the network.
bool isWithin(const Poco::Net::IPAddress& address, const AddressNetwork& network);

/// The part of the check that no configuration changes.
bool isPublicUnicast(const Poco::Net::IPAddress& address);

} // namespace supplierd::host
