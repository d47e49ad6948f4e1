#pragma once

#include <supplierd/Abi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

enum class Audience;

/// An enabled plugin.
struct SUPPLIERD_API PluginStatus {
    std::string id;
    std::string version;
    std::string summary;
    /// False: the server runs without it.
    bool isServed = true;
    /// Why it is left out, or not ready; "" when all is well.
    std::string problem;
    Reserved reserved = {};
};

/// What the server is at this moment.
struct SUPPLIERD_API ServerLoad {
    std::int64_t requestsInProgress = 0;
    /// Sessions of the database: all that there may be, those on loan, and requests that wait for one.
    std::int64_t poolSize = 0;
    std::int64_t poolInUse = 0;
    std::int64_t poolWaiting = 0;
    /// Requests that got no session in time, since the start.
    std::int64_t poolTimeouts = 0;
    Reserved reserved = {};
};

/// How far a key's hour is used up: what `X-RateLimit-*` says, without counting.
struct SUPPLIERD_API RateLimitUsage {
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::int64_t resetAt = 0; ///< Unix seconds
    Reserved reserved = {};
};

/// A service of the host: this server, as operators ask about it. Only in a server. Thread: any. Since 1.0.
class SUPPLIERD_API ServerStatus {
public:
    static constexpr std::string_view ID = "supplierd.server-status/1";

    virtual std::string version() = 0;
    /// ISO 8601 UTC.
    virtual std::string startedAt() = 0;
    /// In alphabetical order.
    virtual std::vector<PluginStatus> plugins() = 0;
    virtual ServerLoad load() = 0;
    /// `hourlyLimit`: the key's own; nothing: the server's.
    virtual RateLimitUsage rateLimit(std::int64_t keyId, std::optional<std::int64_t> hourlyLimit) = 0;
    /// The OpenAPI 3.1 document that the server serves below the base path of suppliers or operators, as JSON. It is
    /// there from Plugin::ready() on; "" before, and for another audience.
    virtual std::string openApi(Audience audience) = 0;

protected:
    ~ServerStatus() = default;
};

} // namespace supplierd
