#include "host/server/ServerPresence.h"

#include "host/Version.h"
#include "host/base/Digest.h"
#include "host/base/Random.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/nodes/DatabaseNodes.h"

#include <Poco/Environment.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::string_view RENEW = R"sql(
INSERT INTO servers (id, name, version, redis, database_nodes, is_leaving, started_at, seen_at)
VALUES (?, ?, ?, ?, ?, ?, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE
    database_nodes = VALUES(database_nodes), is_leaving = VALUES(is_leaving), seen_at = NOW(6)
)sql";

constexpr std::string_view WITHDRAW = "DELETE FROM servers WHERE id = ?";

/// What crashed a day ago interests nobody any more.
constexpr std::string_view FORGET = "DELETE FROM servers WHERE seen_at < NOW(6) - INTERVAL 1 DAY";

constexpr std::string_view LIST = R"sql(
SELECT id, name, version, redis, started_at, COALESCE(database_nodes, '') FROM servers
WHERE seen_at >= NOW(6) - INTERVAL 30 SECOND AND is_leaving = 0
ORDER BY name, id
)sql";

constexpr std::string_view LIST_MISSING = R"sql(
SELECT name, TIMESTAMPDIFF(SECOND, seen_at, NOW(6)) FROM servers
WHERE seen_at < NOW(6) - INTERVAL 30 SECOND AND seen_at >= NOW(6) - INTERVAL 10 MINUTE AND is_leaving = 0
ORDER BY name, id
)sql";

/// One that leaves still serves. One that was seen 20 seconds ago may still read plainly (ClusterState::noteShown);
/// as many more are for what the clocks of the nodes differ by.
constexpr std::string_view LIST_WRITERS = R"sql(
SELECT name, COALESCE(database_nodes, ''), seen_at < NOW(6) - INTERVAL 15 SECOND FROM servers
WHERE id <> ? AND seen_at >= NOW(6) - INTERVAL 40 SECOND
)sql";

constexpr std::string_view LIST_ALL = "SELECT id, name FROM servers";

/// One that renews its row every ten seconds is there, whatever its number means here: a container on this machine may
/// have the machine's name, and numbers of its own.
constexpr std::string_view LIST_SILENT = R"sql(
SELECT id FROM servers WHERE seen_at < NOW(6) - INTERVAL 15 SECOND
)sql";

constexpr std::string_view FORGET_SILENT = R"sql(
DELETE FROM servers WHERE id = ? AND seen_at < NOW(6) - INTERVAL 15 SECOND
)sql";

/// Of the same name: after a boot, or in a container that was started again, the number is given once more.
constexpr std::string_view FORGET_NAMESAKE = R"sql(
DELETE FROM servers WHERE name = ? AND id <> ? AND seen_at < NOW(6) - INTERVAL 15 SECOND
)sql";

/// "node:process": a process of this machine that is no more.
bool isGone(std::string_view name) {
    const auto colon = name.rfind(':');
    if (colon == std::string_view::npos || name.substr(0, colon) != Poco::Environment::nodeName())
        return false;
    pid_t process = 0;
    const auto number = name.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), process);
    return error == std::errc() && end == number.data() + number.size() && process > 0 && ::kill(process, 0) != 0 &&
           errno == ESRCH;
}

std::string newId() {
    std::array<unsigned char, 12> bytes{};
    fillRandom(bytes.data(), bytes.size());
    return base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// By database_nodes of their rows.
std::set<std::string> writersOf(Rows& rows) {
    std::set<std::string> writers;
    while (rows.next()) {
        if (rows.integer(2) != 0 && isGone(rows.text(0)))
            continue;
        for (const NamedDatabase& database : parseDatabaseOrder(rows.text(1)))
            if (!database.writer.empty())
                writers.insert(database.writer);
    }
    return writers;
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
                               DatabaseNodes* nodes, Logger& log)
    : _database(database),
      _nodes(nodes),
      _session(session),
      _redis(redis.isUsed()
                 ? (redis.where() + "/" + std::to_string(redis.database) + " " + redis.prefix).substr(0, REDIS_COLUMN)
                 : std::string()),
      _log(log),
      _id(newId()),
      _name(Poco::Environment::nodeName() + ":" + std::to_string(::getpid())),
      _databases(session, nodes) {}

void ServerPresence::renew() {
    const std::lock_guard lock(_mutex);
    if (_state != State::Present)
        return;
    const DatabaseOrder own = _databases.order();
    write(own);
    forgetFormerSelves();
    auto others = _database.read([](SqlSession& session) { return list(session); });
    std::erase_if(others,
                  [this](const PresentServer& server) { return server.id == _id || _former.contains(server.id); });
    _isAlone = others.empty();
    probeRedis(others);
    lookAtOrder(others, {_id, _name, VERSION, _redis, {}, own});
}

void ServerPresence::show() {
    const std::lock_guard lock(_mutex);
    if (_state != State::Gone)
        write(_databases.order());
}

void ServerPresence::followWriters() {
    if (!_nodes)
        return;
    if (_nodes->overview().needsOtherWriters)
        readOtherWriters();
    const std::unique_lock lock(_mutex, std::try_to_lock); // who has it writes the row, or will have done soon
    if (lock && _isKnown && _state != State::Gone && _nodes->overview().needsToBeShown)
        write(_databases.order());
}

/// On any node that can be written to: it is this that has to be known before one is.
void ServerPresence::readOtherWriters() {
    for (const NodeStatus& node : _nodes->status()) {
        if (node.fitness == NodeFitness::Unfit)
            continue;
        SessionSettings one = _session.at(*NodeAddress::parse(node.name));
        one.readsInStep = true;
        const auto asked = NodeClock::now();
        try {
            PooledSession session(openSession(one.within(one.failoverAfter)));
            _nodes->noteOtherWriters(writersOf(session.query(LIST_WRITERS, {_id})), asked);
            return;
        } catch (const DatabaseError&) {
            continue; // another one may say it
        }
    }
}

void ServerPresence::write(const DatabaseOrder& own) {
    if (!std::exchange(_isKnown, true))
        findFormerSelves();
    const auto begun = NodeClock::now();
    _database.execute(RENEW, {_id, _name, VERSION, _redis, toText(own), _state == State::Leaving});
    if (!_nodes)
        return;
    const auto writer = std::ranges::find_if(own, [](const NamedDatabase& node) { return !node.writer.empty(); });
    _nodes->noteShown(writer != own.end() ? writer->writer : std::string(), begun);
}

/// Of this machine: those that look as if they were killed. They only count for nothing: a container may have this
/// machine's name and numbers of its own, and who is there after all goes on renewing its row.
void ServerPresence::findFormerSelves() {
    _database.withSession([&](SqlSession& session) {
        _former.clear();
        Rows& rows = session.query(LIST_ALL);
        while (rows.next())
            if (isGone(rows.text(1)))
                _former.emplace(rows.text(0));
    });
    _database.execute(FORGET_NAMESAKE, {_name, _id});
}

void ServerPresence::forgetFormerSelves() {
    std::erase_if(_former, [this](const std::string& id) { return _database.execute(FORGET_SILENT, {id}) > 0; });
}

void ServerPresence::identifyDatabases() {
    {
        const std::lock_guard lock(_mutex);
        if (_isAlone)
            return;
    }
    _databases.ask();
}

void ServerPresence::probeRedis(const Servers& others) {
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
                                      "rate limits by itself and sees the other's some seconds late"
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

void ServerPresence::leave() {
    const std::lock_guard lock(_mutex);
    if (_state != State::Present)
        return;
    _state = State::Leaving;
    write(_databases.order());
}

void ServerPresence::withdraw() {
    const std::lock_guard lock(_mutex);
    _state = State::Gone;
    _database.execute(WITHDRAW, {_id});
    _database.execute(FORGET);
}

std::vector<PresentServer> ServerPresence::list(SqlSession& session) {
    std::set<std::string, std::less<>> silent;
    Rows& old = session.query(LIST_SILENT);
    while (old.next())
        silent.emplace(old.text(0));
    std::vector<PresentServer> servers;
    Rows& rows = session.query(LIST);
    while (rows.next())
        if (!silent.contains(rows.text(0)) || !isGone(rows.text(1)))
            servers.push_back({std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)),
                               std::string(rows.text(3)), rows.time(4), parseDatabaseOrder(rows.text(5))});
    return servers;
}

std::vector<std::string> ServerPresence::missing(SqlSession& session) {
    std::vector<std::string> missing;
    Rows& rows = session.query(LIST_MISSING);
    while (rows.next())
        if (!isGone(rows.text(0)))
            missing.push_back(std::string(rows.text(0)) + ", " + std::to_string(rows.integer(1)) + " s ago");
    return missing;
}

} // namespace supplierd::host
