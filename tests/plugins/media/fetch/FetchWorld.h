#pragma once

#include "Connector.h"
#include "FetchError.h"
#include "ImageFetcher.h"
#include "Resolver.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Where the names of a FetchWorld lead unless it is told otherwise: a public address that nobody is connected to.
inline constexpr const char* PUBLIC_ADDRESS = "93.184.216.34";

/// Answers from a table instead of the DNS, and remembers what it was asked.
class StubResolver : public media::Resolver {
public:
    using Addresses = std::vector<std::string>;

    /// The answers to the first, second … question; the last one is repeated. No addresses: the name is not known.
    void set(const std::string& name, std::deque<Addresses> answers);
    /// For names that are not in the table; PUBLIC_ADDRESS at first.
    void setDefault(Addresses addresses);
    std::vector<std::string> asked() const;

    std::vector<Poco::Net::IPAddress> resolve(const std::string& name, const media::TimeLimit& limit) const override;

private:
    mutable std::mutex _mutex;
    mutable std::map<std::string, std::deque<Addresses>> _answers;
    mutable std::vector<std::string> _asked;
    Addresses _default{PUBLIC_ADDRESS};
};

/// Connects to 127.0.0.1 whatever the address is, and remembers the addresses.
class Detour : public media::Connector {
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

/// A fetcher whose internet is a loopback origin.
class FetchWorld {
public:
    FetchWorld() = default;
    explicit FetchWorld(std::uint16_t originPort) { detour->leadTo(originPort); }

    std::shared_ptr<StubResolver> resolver = std::make_shared<StubResolver>();
    std::shared_ptr<Detour> detour = std::make_shared<Detour>();
    media::FetchOptions options;
    media::AddressPolicy policy;

    std::shared_ptr<const media::ImageFetcher> fetcher() const;
    media::FetchedImage fetch(const std::string& url) const;
    /// "CODE: text" of the FetchError; "fetched" when there is none.
    std::string failure(const std::string& url) const;
    /// Only the code; "fetched" when there is none.
    std::string code(const std::string& url) const;
};

/// A limit that no test reaches.
media::TimeLimit longLimit(const media::StopSignal* stop = nullptr);

/// SIZE bytes that differ from each other as far as bytes can.
std::string pictureOf(std::size_t size);

} // namespace supplierd::tests
