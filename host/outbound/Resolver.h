#pragma once

#include "host/outbound/TimeLimit.h"

#include <Poco/Net/IPAddress.h>

#include <string>
#include <vector>

namespace supplierd::host {

/// Finds the addresses of a name. Thread: any, several at once.
class Resolver {
public:
    virtual ~Resolver() = default;

    /// All addresses of a DNS name (never of a numeric form), at least one. Throws HttpError (Dns, Timeout, Stopped).
    virtual std::vector<Poco::Net::IPAddress> resolve(const std::string& name, const TimeLimit& limit) const = 0;
};

} // namespace supplierd::host
