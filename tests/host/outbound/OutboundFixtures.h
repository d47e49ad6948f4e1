#pragma once

#include "host/outbound/DnsResolver.h"
#include "host/outbound/HttpTransport.h"

#include <supplierd/services/HttpClient.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Where names lead unless a StubResolver is told otherwise: a public address that nobody is connected to.
inline constexpr const char* PUBLIC_ADDRESS = "93.184.216.34";

/// Answers from a table instead of the DNS, and remembers what it was asked.
class StubResolver : public host::Resolver {
public:
    using Addresses = std::vector<std::string>;

    /// The answers to the first, second … question; the last one is repeated. No addresses: the name is not known.
    void set(const std::string& name, std::deque<Addresses> answers);
    /// For names that are not in the table; PUBLIC_ADDRESS at first.
    void setDefault(Addresses addresses);
    std::vector<std::string> asked() const;

    std::vector<Poco::Net::IPAddress> resolve(const std::string& name, const host::TimeLimit& limit) const override;

private:
    mutable std::mutex _mutex;
    mutable std::map<std::string, std::deque<Addresses>> _answers;
    mutable std::vector<std::string> _asked;
    Addresses _default{PUBLIC_ADDRESS};
};

/// Connects to 127.0.0.1 whatever the address is, and remembers the addresses.
class Detour : public host::Connector {
public:
    /// Every port leads to `port`; with 0 every connection fails.
    void leadTo(std::uint16_t port) { _port = port; }
    /// Connections to this address fail.
    void block(const std::string& address);
    /// "93.184.216.34:80".
    std::vector<std::string> addresses() const;

    Poco::Net::SocketAddress destination(const Poco::Net::SocketAddress& judged) const override;

private:
    std::atomic<std::uint16_t> _port = 0;
    mutable std::mutex _mutex;
    mutable std::vector<std::string> _addresses;
    std::string _blocked;
};

/// A limit that no test reaches.
host::TimeLimit longLimit(const StopSignal* stop = nullptr);

} // namespace supplierd::tests
