#pragma once

#include "host/config/AddressRange.h"
#include "host/gate/ForwardedClient.h"
#include "host/gate/HeldLedger.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace supplierd::host {

/// The limits of a Gate.
struct GateSettings {
    /// From the first byte of a head to its last; also how long a new connection may say nothing.
    std::chrono::milliseconds headTimeout{10'000};
    /// How long an idle connection is kept.
    std::chrono::milliseconds keepAliveTimeout{15'000};
    /// How long a client may send nothing of its body, or take nothing of its response, and how long it has whatever
    /// the size.
    std::chrono::milliseconds patience{30'000};
    /// Beyond the patience, bodies and responses move at no less than this.
    std::uint64_t bytesPerSecond = 16'384;
    /// Requests that are worked on at once at most, and those of them that have been short so far.
    int workers = 64;
    int shortRunning = 8;
    /// Requests that wait for a worker, and for how long one does before it gets a 503.
    std::size_t maxQueued = 256;
    std::chrono::milliseconds queueTime{2'000};
    /// Connections that are open at once; and of one client address, 0: no limit.
    int maxConnections = 16'384;
    int connectionsPerAddress = 0;
    /// What is held for clients, in all: bodies that arrive, and responses that wait to be accepted.
    HeldLedger::Amount held{std::uint64_t{64} << 20, std::uint64_t{1} << 30};
    /// They have any number of connections; the clients for whom they speak have connectionsPerAddress requests.
    std::vector<AddressRange> trustedProxies;
    ForwardedSource forwardedHeader = ForwardedSource::XForwarded;
    /// Their connections begin with a ProxyHeader.
    bool proxyProtocol = false;
};

} // namespace supplierd::host
