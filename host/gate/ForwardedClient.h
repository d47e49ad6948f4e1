#pragma once

#include "host/config/Settings.h"

#include <Poco/Net/IPAddress.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The fields of a request's head that proxies write, in the order in which they came: some proxies append to the
/// client's line, others add one of their own.
class ForwardedFields {
public:
    explicit ForwardedFields(ForwardedSource source) : _source(source) {}
    /// Of every field of the head; keeps those that count.
    void add(std::string_view name, std::string_view value);

private:
    friend struct ForwardedClient;

    ForwardedSource _source;
    std::string _addresses; ///< the lines of X-Forwarded-For or of Forwarded, joined by commas
    std::string _scheme;    ///< the last X-Forwarded-Proto
};

/// Whom a request is from, and by which scheme it came to the outermost trusted proxy.
struct ForwardedClient {
    Poco::Net::IPAddress address; ///< not mapped
    std::string_view scheme;      ///< "http" or "https"

    /// The peer, or, when the peer is a trusted proxy, the last address in the fields that is not one. What is no
    /// address there ends the walk: the client is the proxy that passed it on. `ownScheme`: of the connection itself.
    static ForwardedClient find(const Poco::Net::IPAddress& peer, std::string_view ownScheme,
                                const ForwardedFields& fields, const std::vector<AddressRange>& trustedProxies);
};

bool isTrustedProxy(const Poco::Net::IPAddress& address, const std::vector<AddressRange>& trustedProxies);

} // namespace supplierd::host
