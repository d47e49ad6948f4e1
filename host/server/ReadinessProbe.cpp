#include "host/server/ReadinessProbe.h"

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

constexpr auto SCHEMA_CHECK_INTERVAL = std::chrono::seconds(10);
constexpr std::string_view PING = "SELECT 1";

PoolSettings oneOf(const DatabaseSettings& database) {
    PoolSettings pool;
    pool.size = 1;
    pool.waitDeadline = database.poolWait;
    pool.checkAfterIdle = database.checkAfterIdle;
    return pool;
}

} // namespace

ReadinessProbe::ReadinessProbe(const DatabaseSettings& database, std::vector<MigrationSet> migrations,
                               std::shared_ptr<DatabaseNodes> nodes)
    : _nodes(nodes),
      // It gives a silent database up soon, so that the next probe is not kept waiting by this one.
      _pool(database.session.within(ANSWER_LIMIT), oneOf(database), std::move(nodes)),
      _database(_pool),
      _migrator(database.session.within(ANSWER_LIMIT), std::move(migrations)),
      _thread([this](const std::stop_token& stop) { run(stop); }) {}

Readiness ReadinessProbe::ask() {
    std::unique_lock lock(_mutex);
    const auto before = _finished;
    if (!_isProbing) {
        _isAsked = true;
        _wake.notify_all();
    }
    if (_wake.wait_for(lock, ANSWER_LIMIT, [&] { return _finished != before; }))
        return _latest;
    return {{"database", "it has not answered for " + std::to_string(ANSWER_LIMIT.count() / 1'000) + " s"}};
}

void ReadinessProbe::run(const std::stop_token& stop) {
    std::unique_lock lock(_mutex);
    while (_wake.wait(lock, stop, [this] { return _isAsked; }) && !stop.stop_requested()) {
        _isAsked = false;
        _isProbing = true;
        lock.unlock();
        auto result = probe();
        lock.lock();
        _isProbing = false;
        _latest = std::move(result);
        ++_finished;
        _wake.notify_all();
    }
}

Readiness ReadinessProbe::probe() {
    Readiness checks;
    try {
        _database.withSession([](SqlSession& session) { session.query(PING).next(); });
        checks["database"] = "";
        checks["schema"] = schemaProblem();
    } catch (const std::exception& failure) {
        const std::string problem = _nodes ? _nodes->overview().problem : std::string();
        checks["database"] = problem.empty() ? failure.what() : problem;
    }
    return checks;
}

std::string ReadinessProbe::schemaProblem() {
    const auto now = std::chrono::steady_clock::now();
    if (_schemaCheckedAt == std::chrono::steady_clock::time_point{} || now - _schemaCheckedAt > SCHEMA_CHECK_INTERVAL) {
        // Of the session's node, which stays the right one when a former primary comes back beside it.
        _schema = _migrator.check(*_pool.acquire());
        _schemaCheckedAt = now;
    }
    // A newer schema is no problem for a server that runs already: migrations expand first and contract later.
    if (_schema.state == SchemaState::Behind)
        return _schema.message;
    const std::lock_guard lock(_mutex);
    for (const auto& plugin : _schema.unfit)
        if (plugin.reason == UnfitPlugin::Reason::Behind && !_leftOut.contains(plugin.id))
            return plugin.message;
    return {};
}

void ReadinessProbe::leaveOut(const std::string& plugin) {
    const std::lock_guard lock(_mutex);
    _leftOut.insert(plugin);
}

} // namespace supplierd::host
