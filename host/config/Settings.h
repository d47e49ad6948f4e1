#pragma once

#include "host/config/AddressRange.h"
#include "host/config/ConfigValue.h"
#include "host/db/SessionSettings.h"

#include <supplierd/Log.h>

#include <Poco/Net/SocketAddress.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::host {

/// Which fields of a request the trusted proxies write. Only one sort may be believed: a proxy that writes
/// X-Forwarded-For lets a client's Forwarded through, and the other way about.
enum class ForwardedSource {
    XForwarded, ///< X-Forwarded-For and X-Forwarded-Proto
    Forwarded   ///< RFC 7239
};

/// Where supplierctl finds the server of this machine, unless the configuration says otherwise.
inline constexpr const char* DEFAULT_CONTROL_SOCKET = "/run/supplierd/control.sock";

/// Paths are absolute: a relative one is taken from the folder of the configuration file.
struct ServerSettings {
    Poco::Net::SocketAddress listen{"127.0.0.1", 8080}; ///< port 0: a free one, see addressFile
    Poco::Net::SocketAddress adminListen{"127.0.0.1", 8081};
    std::filesystem::path controlSocket{DEFAULT_CONTROL_SOCKET}; ///< empty: none
    std::string controlGroup;             ///< whose members may use it, besides root; empty: the server's own group
    std::filesystem::path tlsCertificate; ///< empty: the API is plain HTTP
    std::filesystem::path tlsKey;
    std::chrono::milliseconds hsts{0};
    std::filesystem::path addressFile; ///< empty: none
    std::filesystem::path pidFile;     ///< empty: none
    int threads = 64;
    int maxQueued = 256;
    int checkResponses = 1'000; ///< one in so many JSON texts of handlers is parsed; 0: none
    std::chrono::milliseconds queueTime{2'000};
    int maxConnections = 16'384;
    int connectionsPerAddress = 1'024; ///< 0: no limit
    std::chrono::milliseconds keepAliveTimeout{15'000};
    std::chrono::milliseconds requestTimeout{30'000};
    std::int64_t bodyLimit = 1'048'576;
    std::size_t memory = 335'544'320;     ///< for all caches
    std::int64_t heldMemory = 67'108'864; ///< for all bodies that arrive, and responses that wait
    std::int64_t heldFiles = 1'073'741'824;
    std::chrono::milliseconds shutdownDeadline{20'000};
    std::chrono::milliseconds drainPause{0};
    std::chrono::milliseconds drainGrace{1'000};
    std::vector<AddressRange> trustedProxies;
    ForwardedSource forwardedHeader = ForwardedSource::XForwarded;
    bool proxyProtocol = false;           ///< connections of trustedProxies begin with a PROXY header
    std::vector<std::string> corsOrigins; ///< as browsers write them, or "*"; none: no web page of another origin
    bool compression = false;
    std::filesystem::path pluginDir;
    std::filesystem::path stateDir;
    std::filesystem::path pluginsEnabled;
};

struct DatabaseSettings {
    SessionSettings session;
    /// Of session.nodes the one that plain reads go to; nothing: the one that is written to.
    std::optional<std::size_t> readFrom;
    int poolSize = 16;
    std::chrono::milliseconds poolWait{2'000};
    std::chrono::milliseconds checkAfterIdle{5'000};
    std::chrono::milliseconds startDeadline{60'000};
    bool migrateAtStart = false;
};

struct AuthSettings {
    std::chrono::milliseconds negativeTtl{500};
    int failuresPerMinute = 60;
};

struct RateLimitSettings {
    int requestsPerHour = 1'000;
    int supplierRequestsPerHour = 0; ///< of all its keys; 0: ten times requestsPerHour

    std::int64_t ofSupplier() const {
        constexpr std::int64_t KEYS = 10;
        return supplierRequestsPerHour > 0 ? supplierRequestsPerHour : KEYS * requestsPerHour;
    }
    int publicPerMinute = 6'000; ///< of one address; 0: no limit
};

/// What servers share that is short-lived. Without host and socket there is none.
struct RedisSettings {
    std::string host;
    unsigned port = 6'379;
    std::string socket;
    std::string user; ///< empty: Redis' own, "default"
    std::string password;
    int database = 0;
    std::string prefix = "supplierd:";
    std::chrono::milliseconds timeLimit{20};
    int poolSize = 16;

    bool isUsed() const { return !host.empty() || !socket.empty(); }
    /// For people.
    std::string where() const { return socket.empty() ? host + ":" + std::to_string(port) : socket; }
};

struct IdempotencySettings {
    std::chrono::milliseconds retention{86'400'000};
};

struct AuditSettings {
    std::chrono::milliseconds retention{34'560'000'000};    ///< 400 days; zero: for ever
    std::chrono::milliseconds pushRetention{2'592'000'000}; ///< 30 days; zero: as long as others
};

struct ChangesSettings {
    std::chrono::milliseconds retention{2'592'000'000}; ///< 30 days; zero: for ever
};

struct LogSettings {
    LogLevel level = LogLevel::Information;
    std::string accessLog = "-"; ///< "-" standard output, "off", or an absolute path
    std::string file = "-";      ///< "-" standard error, or an absolute path
};

/// The whole configuration, checked. A value type; filled by loadSettings().
struct Settings {
    std::filesystem::path file; ///< as given
    ServerSettings server;
    DatabaseSettings database;
    AuthSettings auth;
    RateLimitSettings rateLimit;
    RedisSettings redis;
    IdempotencySettings idempotency;
    AuditSettings audit;
    ChangesSettings changes;
    LogSettings log;
    /// `[plugins.<id>]`, unchecked: each plugin's own schema is known once its library is described (PluginSet).
    ConfigTable plugins;
};

} // namespace supplierd::host
