#include "host/server/DatabasePart.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace supplierd::host {

namespace {

constexpr auto FIRST_PAUSE = std::chrono::milliseconds(500);
constexpr auto LONGEST_PAUSE = std::chrono::milliseconds(5'000);
/// Longer than a cluster counts a dead node as a member.
constexpr auto WRITER_LIMIT = std::chrono::seconds(15);
constexpr auto WRITER_PAUSE = std::chrono::milliseconds(100);

PoolSettings poolSettings(const DatabaseSettings& database) {
    PoolSettings pool;
    pool.size = static_cast<std::size_t>(database.poolSize);
    pool.waitDeadline = database.poolWait;
    pool.checkAfterIdle = database.checkAfterIdle;
    return pool;
}

std::string describe(const SessionSettings& session) {
    return "database '" + session.database + "' on " + session.place() + " as '" + session.user + "'";
}

} // namespace

DatabasePart::DatabasePart(ServerBasis& basis, const PluginSet& plugins)
    : _basis(basis),
      _nodes(basis.settings.database.session.hasSeveralNodes()
                 ? std::make_shared<DatabaseNodes>(basis.settings.database.session, basis.settings.database.readFrom,
                                                   &basis.log)
                 : nullptr),
      _pool(basis.settings.database.session, poolSettings(basis.settings.database), _nodes, NodeRole::Writer,
            &basis.log),
      _database(_pool, &basis.log),
      _probe(std::make_unique<ReadinessProbe>(basis.settings.database, plugins.migrations(), _nodes)),
      _migrator(basis.settings.database.session, plugins.migrations()),
      _presence(_database, basis.settings.redis, basis.settings.database.session, _nodes.get(), basis.log) {
    const auto& settings = basis.settings.database;
    if (settings.readFrom)
        _database.readFrom(
            _readerPool.emplace(settings.session, poolSettings(settings), _nodes, NodeRole::Reader, &basis.log));
    // Its memory is of the former cluster's data; a successor's is not.
    if (_nodes)
        _listening = _nodes->listen([nodes = _nodes.get(), &termination = basis.termination] {
            if (nodes->overview().isReplaced)
                termination.requestHandOver();
        });
}

bool DatabasePart::start() {
    if (!waitForDatabase() || !waitForWriter())
        return false;
    requireCurrentSchema();
    return true;
}

void DatabasePart::stop() {
    if (!_probe)
        return;
    _basis.deadline.doing("closing the database's sessions");
    _pool.close();
    if (_readerPool)
        _readerPool->close();
    _probe.reset();
}

bool DatabasePart::waitForDatabase() {
    const auto deadline = std::chrono::steady_clock::now() + _basis.settings.database.startDeadline;
    auto pause = FIRST_PAUSE;
    _basis.supervisor.starting("waiting for the " + describe(_basis.settings.database.session),
                               _basis.settings.database.startDeadline);
    for (int attempt = 1;; ++attempt) {
        try {
            openSession(_basis.settings.database.session);
            return true;
        } catch (const DatabaseError& failure) {
            if (refusesLogin(failure.code()) || lacksDatabase(failure.code()))
                throw NotSetUpError("cannot use the " + describe(_basis.settings.database.session) + ": " +
                                    failure.what() + "; run `supplierctl setup`, or correct the table [database]");
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            if (left <= pause)
                throw StartError("cannot reach the " + describe(_basis.settings.database.session) + " within " +
                                 std::to_string(_basis.settings.database.startDeadline.count() / 1000) +
                                 " s (database.start_deadline): " + failure.what() +
                                 "; check the table [database], and that the database server runs; a server that is "
                                 "new is set up with `supplierctl setup`");
            _basis.log.warning("the database is not reachable yet", {{"attempt", std::int64_t{attempt}},
                                                                     {"reason", std::string(failure.what())},
                                                                     {"next_try_ms", std::int64_t{pause.count()}},
                                                                     {"giving_up_in_ms", std::int64_t{left.count()}}});
        }
        if (_basis.termination.waitFor(pause))
            return false;
        pause = std::min(pause * 2, LONGEST_PAUSE);
    }
}

/// Of several nodes a first session may find one that the server does not use yet, as long as the cluster still counts
/// a dead one. Without any it goes on: a plugin that needs none may serve meanwhile.
bool DatabasePart::waitForWriter() {
    const auto isChosen = [this] {
        const auto nodes = _nodes->status();
        return std::any_of(nodes.begin(), nodes.end(), [](const NodeStatus& node) { return node.isWriter; });
    };
    const auto deadline = std::chrono::steady_clock::now() + WRITER_LIMIT;
    while (_nodes && !isChosen() && std::chrono::steady_clock::now() < deadline)
        if (_basis.termination.waitFor(WRITER_PAUSE))
            return false;
    return true;
}

void DatabasePart::requireCurrentSchema() {
    auto status = _migrator.check();
    if (status.isBehind() && _basis.settings.database.migrateAtStart) {
        migrate();
        status = _migrator.check();
    }
    if (status.state != SchemaState::Current)
        throw NotSetUpError(status.message);
    // The predecessor may serve what this one would leave out: better that it goes on.
    if (!status.unfit.empty() && _basis.supervisor.isSuccessor())
        throw NotSetUpError(status.unfit.front().message);
    _unfit = std::move(status.unfit);
}

/// What fails here is left to the check that follows.
void DatabasePart::migrate() {
    constexpr auto LONGEST = std::chrono::hours(1);
    _basis.supervisor.starting("applying migrations", LONGEST);
    _basis.log.information("the schema is out of date: applying what expands it (database.migrate_at_start)");
    std::string failure;
    try {
        _migrator.apply(
            [this](const MigrationStep& step) {
                if (step.statementsDone == step.statementsTotal)
                    _basis.log.information("a migration was applied", {{"migration", nameOf(step)}});
            },
            [this](const std::string& notice) { _basis.log.information(notice); });
    } catch (const MigrationError& error) {
        failure = error.what();
    } catch (const DatabaseError& error) {
        failure = error.what();
    }
    if (!failure.empty())
        _basis.log.error("the migrations could not be applied", {{"reason", failure}});
}

void DatabasePart::measure() {
    const auto stats = _pool.stats();
    auto& metrics = _basis.metrics;
    metrics.poolInUse().Set(static_cast<double>(stats.inUse));
    metrics.poolIdle().Set(static_cast<double>(stats.idle));
    metrics.poolWaiting().Set(static_cast<double>(stats.waiting));
    raiseTo(metrics.poolTimeouts(), stats.timeouts);
    const auto questions = _database.questions();
    raiseTo(metrics.versionQuestions(), questions.questions);
    raiseTo(metrics.versionRequests(), questions.requests);
    if (_nodes)
        measureNodes(*_nodes);
}

void DatabasePart::measureNodes(const DatabaseNodes& nodes) {
    auto& metrics = _basis.metrics;
    for (const NodeStatus& node : nodes.status()) {
        metrics.databaseNodeUp(node.name).Set(node.isUp ? 1 : 0);
        metrics.databaseNodeWritable(node.name).Set(node.fitness == NodeFitness::Unfit ? 0 : 1);
        metrics.databaseNodeInStep(node.name).Set(node.fitness == NodeFitness::InStep ? 1 : 0);
        metrics.databaseWriter(node.name).Set(node.isWriter ? 1 : 0);
        metrics.databaseReader(node.name).Set(node.isReader ? 1 : 0);
    }
    const auto overview = nodes.overview();
    metrics.databaseReadsInStep().Set(overview.readsInStep ? 1 : 0);
    raiseTo(metrics.databaseFailovers(), overview.failovers);
    metrics.databaseAmbiguous().Set(overview.isAmbiguous ? 1 : 0);
}

} // namespace supplierd::host
