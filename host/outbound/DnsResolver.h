#pragma once

#include "host/outbound/TimeLimit.h"

#include <Poco/Net/IPAddress.h>

#include <chrono>
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

/// Asks /etc/hosts and the name servers of /etc/resolv.conf, through c-ares: unlike getaddrinfo() it can be given a
/// deadline and be stopped. A name is taken as it is, without the host's search domains, and with A and AAAA at once.
class DnsResolver : public Resolver {
public:
    /// `servers`: "address:port,…" instead of those of /etc/resolv.conf; for tests.
    explicit DnsResolver(std::string servers = {});
    ~DnsResolver() override;
    DnsResolver(const DnsResolver&) = delete;
    DnsResolver& operator=(const DnsResolver&) = delete;

    std::vector<Poco::Net::IPAddress> resolve(const std::string& name, const TimeLimit& limit) const override;

private:
    std::string _servers;
};

} // namespace supplierd::host
