#include "host/server/AccountsPart.h"

#include <algorithm>

namespace supplierd::host {

AccountsPart::AccountsPart(ServerBasis& basis, DatabasePart& database)
    : _basis(basis),
      _offered(_services, _audit),
      _redis(basis.settings.redis.isUsed() ? std::make_unique<RedisClient>(RedisClient::Dependencies{
                                                 basis.settings.redis, basis.log, basis.registry})
                                           : nullptr),
      _redisCounts(_redis ? std::make_unique<RedisCounts>(*_redis) : nullptr),
      _rateLimiter(_redisCounts ? std::unique_ptr<RateLimiter>(std::make_unique<RedisRateLimiter>(*_redisCounts))
                                : std::make_unique<LocalRateLimiter>()),
      _authenticator(database.database().atWriter(), basis.settings.auth, *_rateLimiter),
      _requestAuthenticators(_authenticator),
      _idempotency(database.database(), basis.settings.idempotency, database.presence().id(),
                   std::max(1, basis.settings.server.threads / 4)) {
    _offered.keys().setAuthenticator(_authenticator);
    _offered.accounts().limitOwnKeys({.hourlyLimit = basis.settings.rateLimit.requestsPerHour});
    _offered.crypto().share(basis.settings.server.threads);
    shareRedis();
}

/// Whoever revokes here is believed here at once, and elsewhere when Redis passes it on.
void AccountsPart::shareRedis() {
    _authenticator.share(_redisCounts.get());
    _offered.accounts().onRevocation([this](const Revocation& revocation) {
        _authenticator.forget(revocation);
        if (_redis)
            _redis->call(publishCommand(_basis.settings.redis, revocation));
    });
    if (_redis)
        _revocations = std::make_unique<RevocationChannel>(RevocationChannel::Dependencies{
            _basis.settings.redis, _basis.log, _basis.registry,
            [this](const Revocation& heard) { _authenticator.forget(heard); }, [this] { _authenticator.forgetAll(); }});
}

} // namespace supplierd::host
