#pragma once

#include "host/config/AddressRange.h"

#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/IPAddress.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The address of the client: the peer, or, when the peer is a trusted proxy, the last address in X-Forwarded-For that
/// is not one. What is no address there ends the walk: the client is the proxy that passed it on.
std::string clientAddress(const Poco::Net::IPAddress& peer, const Poco::Net::HTTPRequest& request,
                          const std::vector<AddressRange>& trustedProxies);

/// "https" when the peer is a trusted proxy and its last X-Forwarded-Proto says so, otherwise "http".
std::string_view clientScheme(const Poco::Net::IPAddress& peer, const Poco::Net::HTTPRequest& request,
                              const std::vector<AddressRange>& trustedProxies);

} // namespace supplierd::host
