#pragma once

#include "host/auth/RateLimiter.h"
#include "host/db/SessionPool.h"
#include "host/plugins/PluginOperations.h"
#include "host/plugins/PluginSet.h"
#include "host/server/process/RunningServer.h"

#include <supplierd/services/ServerStatus.h>

#include <functional>
#include <string>
#include <vector>

namespace supplierd::host {

/// The service "supplierd.server-status/1". Thread: any.
class StatusService final : public ServerStatus {
public:
    struct Dependencies {
        const PluginSet& plugins;
        const PluginOperations& operations;
        const SessionPool& pool;
        RateLimiter& rateLimiter;
        std::int64_t requestsPerHour;
        std::function<RunningServer()> running;
        std::function<int()> requestsInProgress;
        std::function<std::string(Audience)> openApi;
    };

    explicit StatusService(Dependencies dependencies) : _deps(std::move(dependencies)) {}

    std::string version() override { return _deps.running().version; }
    std::string startedAt() override { return _deps.running().startedAt; }
    std::vector<PluginStatus> plugins() override;
    ServerLoad load() override;
    RateLimitUsage rateLimit(std::int64_t keyId, std::optional<std::int64_t> hourlyLimit) override;
    std::string openApi(Audience audience) override { return _deps.openApi(audience); }

private:
    Dependencies _deps;
};

} // namespace supplierd::host
