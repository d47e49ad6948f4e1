#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

enum class TlsMode {
    Off,
    Preferred, ///< encrypted when the server offers it
    Required,  ///< encrypted or not at all; the certificate is not checked
    Verify     ///< encrypted, certificate and host name checked (against `tlsCa`, or the system's authorities)
};

/// Where one server of the database listens: on TCP, or on a Unix socket. A value.
struct NodeAddress {
    std::string host;
    unsigned port = 3306;
    std::string socket; ///< when given, host and port are not used

    /// "host", "host:port", "[address]:port" or the path of a socket; nothing when it is none of these.
    static std::optional<NodeAddress> parse(std::string_view text);
    /// As parse() takes it.
    std::string name() const;
    /// A Unix socket, or an address or a name of this machine, as far as that is known without asking anybody.
    bool isLocal() const;
    bool operator==(const NodeAddress&) const = default;
};

/// How to reach the database, and what every session of ours is set to. A value; holds the password, so never print it.
struct SessionSettings {
    std::string host = "127.0.0.1";
    unsigned port = 3306;
    std::string socket; ///< a Unix socket; when given, host and port are not used
    /// Several servers with the same data, in failover order; then host, port and socket are not used.
    std::vector<NodeAddress> nodes;
    /// Of several: one that says nothing for so long is left, and nobody waits longer for a connection to it.
    std::chrono::milliseconds failoverAfter{1'500};
    /// Of several: an earlier one has to be in step for so long before it is returned to.
    std::chrono::milliseconds returnAfter{10'000};
    /// A statement that reads sees what the cluster has committed before (Galera's wsrep_sync_wait).
    bool readsInStep = false;
    std::string user;
    std::string password;
    std::string database;
    TlsMode tls = TlsMode::Off;
    std::string tlsCa;
    /// Rounded up to whole seconds, as the protocol library counts them; 0 is no limit.
    std::chrono::milliseconds connectTimeout{5'000};
    /// A server that says nothing for so long counts as lost (error 2013). Should exceed statementTimeLimit.
    std::chrono::milliseconds readTimeout{30'000};
    std::chrono::milliseconds writeTimeout{30'000};
    /// The server itself ends a statement after this (error 1969, MySQL: 3024, reads only); 0 is no limit.
    std::chrono::milliseconds statementTimeLimit{10'000};
    /// How long a statement waits for a row lock before error 1205; whole seconds, at least one.
    std::chrono::milliseconds lockWaitTimeout{5'000};

    bool hasSeveralNodes() const { return nodes.size() > 1; }
    /// The same for one server alone.
    SessionSettings at(const NodeAddress& node) const;
    /// For somebody who waits for no answer longer than that.
    SessionSettings within(std::chrono::milliseconds limit) const;
    /// For messages: "db1:3306, db2:3306".
    std::string place() const;
};

} // namespace supplierd::host
