#include "host/server/ServerPresence.h"

#include "host/Version.h"
#include "host/auth/ApiKey.h"

#include <Poco/Environment.h>

#include <unistd.h>

#include <array>
#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::string_view RENEW = R"sql(
INSERT INTO servers (id, name, version, redis, started_at, seen_at) VALUES (?, ?, ?, ?, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE seen_at = NOW(6)
)sql";

constexpr std::string_view WITHDRAW = "DELETE FROM servers WHERE id = ?";

/// What crashed a day ago interests nobody any more.
constexpr std::string_view FORGET = "DELETE FROM servers WHERE seen_at < NOW(6) - INTERVAL 1 DAY";

constexpr std::string_view LIST = R"sql(
SELECT id, name, version, redis, started_at FROM servers WHERE seen_at >= NOW(6) - INTERVAL 30 SECOND ORDER BY name, id
)sql";

std::string newId() {
    std::array<unsigned char, 12> bytes{};
    fillRandom(bytes.data(), bytes.size());
    return base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

constexpr std::size_t REDIS_COLUMN = 255;

} // namespace

ServerPresence::ServerPresence(Database& database, const RedisSettings& redis, Logger& log)
    : _database(database),
      _redis(redis.isUsed()
                 ? (redis.where() + "/" + std::to_string(redis.database) + " " + redis.prefix).substr(0, REDIS_COLUMN)
                 : std::string()),
      _log(log),
      _id(newId()),
      _name(Poco::Environment::nodeName() + ":" + std::to_string(::getpid())) {}

void ServerPresence::renew() {
    const std::lock_guard lock(_mutex);
    if (_isWithdrawn)
        return;
    _database.execute(RENEW, {_id, _name, VERSION, _redis});
    if (!_isTold)
        look();
}

void ServerPresence::look() {
    const auto servers = _database.read([](SqlSession& session) { return list(session); });
    for (const auto& other : servers) {
        if (other.id == _id || (!_redis.empty() && other.redis == _redis))
            continue;
        _isTold = true;
        if (!_redis.empty() && !other.redis.empty()) {
            _log.warning(
                "another server runs on this database, and its [redis] names another Redis, database or prefix: "
                "unless these are one by two names, each counts rate limits by itself",
                {{"server", other.name}, {"its_redis", other.redis}, {"redis", _redis}});
            return;
        }
        _log.warning(_redis.empty() ? "another server runs on this database, and this one has no [redis]: each counts "
                                      "rate limits by itself and sees the other's some seconds late, and a revocation "
                                      "takes auth.cache_ttl"
                                    : "another server runs on this database, and has no [redis]: this one sees what "
                                      "it counts for rate limits some seconds late, or not at all",
                     {{"server", other.name}});
        return;
    }
}

void ServerPresence::withdraw() {
    const std::lock_guard lock(_mutex);
    _isWithdrawn = true;
    _database.execute(WITHDRAW, {_id});
    _database.execute(FORGET);
}

std::vector<PresentServer> ServerPresence::list(SqlSession& session) {
    std::vector<PresentServer> servers;
    Rows& rows = session.query(LIST);
    while (rows.next())
        servers.push_back({std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)),
                           std::string(rows.text(3)), rows.time(4)});
    return servers;
}

} // namespace supplierd::host
