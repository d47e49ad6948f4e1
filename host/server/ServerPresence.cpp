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
INSERT INTO servers (id, name, version, redis, database_nodes, started_at, seen_at)
VALUES (?, ?, ?, ?, ?, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE database_nodes = VALUES(database_nodes), seen_at = NOW(6)
)sql";

constexpr std::string_view WITHDRAW = "DELETE FROM servers WHERE id = ?";

/// What crashed a day ago interests nobody any more.
constexpr std::string_view FORGET = "DELETE FROM servers WHERE seen_at < NOW(6) - INTERVAL 1 DAY";

constexpr std::string_view LIST = R"sql(
SELECT id, name, version, redis, started_at, COALESCE(database_nodes, '') FROM servers
WHERE seen_at >= NOW(6) - INTERVAL 30 SECOND
ORDER BY name, id
)sql";

constexpr std::string_view LIST_MISSING = R"sql(
SELECT name, TIMESTAMPDIFF(SECOND, seen_at, NOW(6)) FROM servers
WHERE seen_at < NOW(6) - INTERVAL 30 SECOND AND seen_at >= NOW(6) - INTERVAL 10 MINUTE
ORDER BY name, id
)sql";

std::string newId() {
    std::array<unsigned char, 12> bytes{};
    fillRandom(bytes.data(), bytes.size());
    return base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

constexpr std::size_t REDIS_COLUMN = 255;

} // namespace

std::string_view PresentServer::node() const {
    return std::string_view(name).substr(0, name.rfind(':'));
}

OrderMatch compareDatabases(const PresentServer& one, const PresentServer& other) {
    return compare(one.databases, other.databases, one.node() == other.node() ? Machines::One : Machines::Several);
}

ServerPresence::ServerPresence(Database& database, const RedisSettings& redis, const SessionSettings& session,
                               const DatabaseNodes* nodes, Logger& log)
    : _database(database),
      _redis(redis.isUsed()
                 ? (redis.where() + "/" + std::to_string(redis.database) + " " + redis.prefix).substr(0, REDIS_COLUMN)
                 : std::string()),
      _log(log),
      _id(newId()),
      _name(Poco::Environment::nodeName() + ":" + std::to_string(::getpid())),
      _databases(session, nodes) {}

void ServerPresence::renew() {
    const std::lock_guard lock(_mutex);
    if (_isWithdrawn)
        return;
    const DatabaseOrder own = _databases.order();
    _database.execute(RENEW, {_id, _name, VERSION, _redis, toText(own)});
    auto others = _database.read([](SqlSession& session) { return list(session); });
    std::erase_if(others, [this](const PresentServer& server) { return server.id == _id; });
    _isAlone = others.empty();
    lookAtRedis(others);
    lookAtOrder(others, {_id, _name, VERSION, _redis, {}, own});
}

void ServerPresence::identifyDatabases() {
    {
        const std::lock_guard lock(_mutex);
        if (_isAlone)
            return;
    }
    _databases.ask();
}

void ServerPresence::lookAtRedis(const Servers& others) {
    if (_isRedisTold)
        return;
    for (const auto& other : others) {
        if (!_redis.empty() && other.redis == _redis)
            continue;
        _isRedisTold = true;
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

void ServerPresence::lookAtOrder(const Servers& others, const PresentServer& self) {
    std::string found;
    const PresentServer* first = nullptr;
    for (const auto& other : others) {
        if (other.databases.empty())
            continue;
        const auto match = compareDatabases(self, other);
        if (match != OrderMatch::Shorter && match != OrderMatch::Different)
            continue;
        found += other.name + " " + describe(other.databases) + "\n";
        if (!first)
            first = &other;
    }
    if (first)
        _databases.doubt();
    _seen = found == _otherOrder ? _seen + 1 : 1;
    _otherOrder = found;
    if (_seen < LASTING || found == _toldOrder)
        return;
    _toldOrder = found;
    if (first)
        _log.warning("another server on this data does not have the same servers of the database in the same order: "
                     "the two may write to two of them at once, which then refuse each other's transactions, and "
                     "reads may be late; give all of them the same [database] hosts and restart them",
                     {{"this_server", _name},
                      {"hosts", describe(self.databases)},
                      {"server", first->name},
                      {"its_hosts", describe(first->databases)}});
    else
        _log.information("all servers have the servers of the database in the same order again",
                         {{"hosts", describe(self.databases)}});
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
                           std::string(rows.text(3)), rows.time(4), parseDatabaseOrder(rows.text(5))});
    return servers;
}

std::vector<std::string> ServerPresence::missing(SqlSession& session) {
    std::vector<std::string> missing;
    Rows& rows = session.query(LIST_MISSING);
    while (rows.next())
        missing.push_back(std::string(rows.text(0)) + ", " + std::to_string(rows.integer(1)) + " s ago");
    return missing;
}

} // namespace supplierd::host
