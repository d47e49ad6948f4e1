#pragma once

#include "host/audit/AuditStore.h"
#include "host/auth/Authenticator.h"
#include "host/auth/RateLimiter.h"
#include "host/auth/RequestAuthenticators.h"
#include "host/http/pipeline/IdempotencyStore.h"
#include "host/plugins/ServiceRegistry.h"
#include "host/redis/RedisClient.h"
#include "host/redis/RedisRateLimiter.h"
#include "host/server/DatabasePart.h"
#include "host/services/PluginHost.h"

#include <memory>

namespace supplierd::host {

/// Who may do what, and how often: keys, suppliers, limits, and what Redis shares of them with other servers.
class AccountsPart final : public ServerPart {
public:
    AccountsPart(ServerBasis& basis, DatabasePart& database);

    bool start() override { return true; }
    void stop() override {}

    AuditStore& audit() { return _audit; }
    ServiceRegistry& services() { return _services; }
    HostServices& offered() { return _offered; }
    RateLimiter& rateLimiter() { return *_rateLimiter; }
    Authenticator& authenticator() { return _authenticator; }
    RequestAuthenticators& requestAuthenticators() { return _requestAuthenticators; }
    IdempotencyStore& idempotency() { return _idempotency; }
    /// Where limits of addresses count; null: here.
    SharedCounts* sharedCounts() const { return _redisCounts.get(); }

private:
    AuditStore _audit;
    ServiceRegistry _services;
    HostServices _offered;
    std::unique_ptr<RedisClient> _redis; ///< null: none is configured
    std::unique_ptr<RedisCounts> _redisCounts;
    const std::unique_ptr<RateLimiter> _rateLimiter;
    Authenticator _authenticator;
    RequestAuthenticators _requestAuthenticators;
    IdempotencyStore _idempotency;
};

} // namespace supplierd::host
