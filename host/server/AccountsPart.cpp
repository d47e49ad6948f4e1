#include "host/server/AccountsPart.h"

#include <algorithm>

namespace supplierd::host {

AccountsPart::AccountsPart(ServerBasis& basis, DatabasePart& database)
    : _offered(_services, _audit, basis.settings.server.memory, basis.registry),
      _redis(basis.settings.redis.isUsed() ? std::make_unique<RedisClient>(RedisClient::Dependencies{
                                                 basis.settings.redis, basis.log, basis.registry})
                                           : nullptr),
      _redisCounts(_redis ? std::make_unique<RedisCounts>(*_redis) : nullptr),
      _rateLimiter(_redisCounts ? std::unique_ptr<RateLimiter>(std::make_unique<RedisRateLimiter>(*_redisCounts))
                                : std::make_unique<LocalRateLimiter>()),
      _authenticator(
          database.database().atWriter(),
          [&questions = database.database()](std::int64_t supplierId) {
              return questions.ask(supplierId, CommittedQuestions::Clock::now()).accounts;
          },
          _offered.cacheMemory(), basis.settings.auth),
      _requestAuthenticators(_authenticator),
      _idempotency(database.database(), basis.settings.idempotency, database.presence().id(),
                   std::max(1, basis.settings.server.threads / 4)) {
    _offered.keys().setAuthenticator(_authenticator);
    _offered.accounts().limitOwnKeys({.hourlyLimit = basis.settings.rateLimit.requestsPerHour});
    _offered.crypto().share(basis.settings.server.threads);
    _authenticator.share(_redisCounts.get());
}

} // namespace supplierd::host
