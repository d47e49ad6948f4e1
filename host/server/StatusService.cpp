#include "host/server/StatusService.h"

#include <algorithm>

namespace supplierd::host {

std::vector<PluginStatus> StatusService::plugins() {
    const RunningServer running = _deps.running();
    const auto readiness = _deps.operations.readiness();
    std::vector<PluginStatus> statuses;
    for (const LoadedPlugin& plugin : _deps.plugins.plugins()) {
        PluginStatus status;
        status.id = plugin.id();
        status.version = plugin.note.version;
        status.summary = plugin.description.summary;
        if (const auto reason = readiness.find(status.id); reason != readiness.end())
            status.problem = reason->second;
        statuses.push_back(std::move(status));
    }
    for (const auto& [id, reason] : running.leftOut) {
        PluginStatus status;
        status.id = id;
        for (const auto& plugin : running.plugins)
            if (plugin.id == id)
                status.version = plugin.version;
        status.isServed = false;
        status.problem = reason;
        statuses.push_back(std::move(status));
    }
    std::sort(statuses.begin(), statuses.end(),
              [](const PluginStatus& a, const PluginStatus& b) { return a.id < b.id; });
    return statuses;
}

ServerLoad StatusService::load() {
    const PoolStats pool = _deps.pool.stats();
    ServerLoad load;
    load.requestsInProgress = _deps.requestsInProgress();
    load.poolSize = static_cast<std::int64_t>(pool.size);
    load.poolInUse = static_cast<std::int64_t>(pool.inUse);
    load.poolWaiting = static_cast<std::int64_t>(pool.waiting);
    load.poolTimeouts = static_cast<std::int64_t>(pool.timeouts);
    return load;
}

RateLimitUsage StatusService::rateLimit(std::int64_t keyId, std::optional<std::int64_t> hourlyLimit) {
    const RateLimitState state = _deps.rateLimiter.peek(keyId, hourlyLimit.value_or(_deps.requestsPerHour));
    RateLimitUsage usage;
    usage.limit = state.limit;
    usage.remaining = state.remaining;
    usage.resetAt = state.resetAt;
    return usage;
}

} // namespace supplierd::host
