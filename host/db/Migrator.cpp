#include "host/db/Migrator.h"

#include "CoreMigrations.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/SchemaHistory.h"
#include "host/db/SchemaLease.h"
#include "host/db/SqlScript.h"

#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace supplierd::host {

namespace {

constexpr std::chrono::seconds LEASE_PATIENCE{60};
/// A migration that waits for a table lock makes all later users of the table wait behind it.
constexpr std::string_view TABLE_LOCK_LIMIT_SQL = "SET lock_wait_timeout = 60";

std::string checksumOf(const std::string& sql) {
    Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
    engine.update(sql);
    return Poco::DigestEngine::digestToHex(engine.digest());
}

std::string nameOf(const std::string& component, int number, const std::string& name) {
    const std::string digits = std::to_string(number);
    return component + "/" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits + "_" + name;
}

std::string nameOf(const MigrationStep& step) {
    return nameOf(step.component, step.number, step.name);
}

std::string listOf(const std::vector<MigrationStep>& steps) {
    constexpr std::size_t SHOWN = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(steps.size(), SHOWN); ++i)
        list += (i == 0 ? "" : ", ") + nameOf(steps[i]);
    return steps.size() > SHOWN ? list + " and " + std::to_string(steps.size() - SHOWN) + " more" : list;
}

std::string aheadMessage(const std::vector<MigrationStep>& steps) {
    return "the database schema is newer than this program: " + listOf(steps) + (steps.size() == 1 ? " is" : " are") +
           " unknown to it; run the release that brought " + (steps.size() == 1 ? "it" : "them") +
           ", or a newer one: `apt-get install --only-upgrade supplierd`";
}

std::string behindMessage(const std::vector<MigrationStep>& steps) {
    return "the database schema is out of date: " + listOf(steps) + (steps.size() == 1 ? " is" : " are") +
           " not applied; run `supplierctl migrate`";
}

/// What a DDL statement says when it was executed before, but a crash came before its progress was recorded.
bool saysAlreadyDone(const DatabaseError& error) {
    switch (error.code()) {
    case 1050: // table exists
    case 1051: // unknown table, in DROP TABLE
    case 1060: // duplicate column
    case 1061: // duplicate key name
    case 1068: // multiple primary keys
    case 1091: // cannot drop column or key
    case 1826: // duplicate foreign key
        return true;
    case 1005: // cannot create: of a duplicate foreign key only
        return std::string_view(error.what()).find("errno: 121") != std::string_view::npos;
    default:
        return false;
    }
}

/// A statement that failed for a known reason was not executed: the next run must not take it for done.
void takeBack(PooledSession& session, SchemaHistory& history, const SchemaHistory::Key& key, std::size_t done) {
    if (session.broken())
        return;
    session.run("ROLLBACK");
    history.recordBegun(key, done);
}

SessionSettings forMigrations(SessionSettings settings) {
    settings.statementTimeLimit = settings.readTimeout = settings.writeTimeout = std::chrono::milliseconds(0);
    settings.lockWaitTimeout = std::chrono::seconds(60);
    return settings;
}

} // namespace

struct Migrator::Script {
    SchemaHistory::Key key;
    std::string name;
    std::string checksum;
    std::vector<std::string> statements;
};

Migrator::Migrator(SessionSettings settings, std::vector<MigrationSet> plugins) : _settings(std::move(settings)) {
    plugins.insert(plugins.begin(), MigrationSet{"core", core::migrations()});
    for (const MigrationSet& set : plugins) {
        int expected = 0;
        for (const Migration& migration : set.migrations) {
            const std::string name = nameOf(set.component, migration.number, migration.name);
            if (migration.number != ++expected)
                throw MigrationError("migration " + name + " should be number " + std::to_string(expected));
            try {
                _scripts.push_back({{set.component, migration.number},
                                    migration.name,
                                    checksumOf(migration.sql),
                                    splitStatements(migration.sql)});
            } catch (const SqlScriptError& error) {
                throw MigrationError("migration " + name + ": " + error.what());
            }
        }
    }
}

Migrator::~Migrator() = default;

std::vector<MigrationStep> Migrator::plan() {
    PooledSession session(openSession(_settings));
    return missing(session);
}

SchemaStatus Migrator::check() {
    PooledSession session(openSession(_settings));
    std::vector<MigrationStep> ahead = unknown(session);
    if (!ahead.empty())
        return {SchemaState::Ahead, ahead, aheadMessage(ahead)};
    std::vector<MigrationStep> behind = missing(session);
    if (!behind.empty())
        return {SchemaState::Behind, behind, behindMessage(behind)};
    return {};
}

void Migrator::apply(const Progress& progress) {
    {
        // Nothing to do needs no lease, and no right to change the schema.
        PooledSession session(openSession(_settings));
        refuseIfAhead(session);
        if (missing(session).empty())
            return;
    }
    SchemaLease lease(_settings, LEASE_PATIENCE);
    PooledSession session(openSession(forMigrations(_settings)));
    session.run(TABLE_LOCK_LIMIT_SQL);
    SchemaHistory(session).createTable();
    refuseIfAhead(session);
    for (const MigrationStep& step : missing(session))
        applyStep(step, session, lease, progress);
}

std::vector<MigrationStep> Migrator::missing(PooledSession& session) const {
    const SchemaHistory::Entries applied = SchemaHistory(session).read();
    std::vector<MigrationStep> steps;
    for (const Script& script : _scripts) {
        MigrationStep step{script.key.first, script.key.second, script.name, 0, script.statements.size()};
        if (const auto found = applied.find(script.key); found != applied.end()) {
            if (found->second.checksum != script.checksum)
                throw MigrationError("migration " + nameOf(step) + " was changed after it " +
                                     (found->second.finished ? "was applied" : "was begun") +
                                     "; restore the file as it was, and put changes into a new migration");
            if (found->second.finished)
                continue;
            step.statementsDone = found->second.statementsDone;
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

/// Of components that this program knows: a plugin that is not enabled now may have left others.
std::vector<MigrationStep> Migrator::unknown(PooledSession& session) const {
    std::map<std::string, int> newest;
    for (const Script& script : _scripts)
        newest[script.key.first] = script.key.second;
    std::vector<MigrationStep> steps;
    for (const auto& [key, entry] : SchemaHistory(session).read()) {
        const auto known = newest.find(key.first);
        if (known != newest.end() && key.second > known->second)
            steps.push_back({key.first, key.second, entry.name, entry.statementsDone, entry.statementsTotal});
    }
    return steps;
}

void Migrator::refuseIfAhead(PooledSession& session) const {
    const std::vector<MigrationStep> ahead = unknown(session);
    if (!ahead.empty())
        throw MigrationError(aheadMessage(ahead));
}

const Migrator::Script& Migrator::script(const MigrationStep& step) const {
    return *std::find_if(_scripts.begin(), _scripts.end(), [&](const Script& script) {
        return script.key.first == step.component && script.key.second == step.number;
    });
}

void Migrator::applyStep(MigrationStep step, PooledSession& session, SchemaLease& lease, const Progress& progress) {
    const Script& script = this->script(step);
    SchemaHistory history(session);
    const SchemaHistory::Entries entries = history.read();
    const auto earlier = entries.find(script.key);
    std::size_t begun = earlier == entries.end() ? 0 : earlier->second.statementsBegun;
    lease.requireHeld();
    if (earlier == entries.end())
        history.start(script.key, {script.name, script.checksum, 0, 0, script.statements.size(), false});
    while (step.statementsDone < script.statements.size()) {
        lease.requireHeld();
        const bool mayBeDone = begun > step.statementsDone;
        history.recordBegun(script.key, step.statementsDone + 1);
        // Data changes commit together with their record; DDL commits by itself, before it.
        session.run("START TRANSACTION");
        try {
            session.run(script.statements[step.statementsDone]);
        } catch (const DatabaseError& error) {
            if (!mayBeDone || !saysAlreadyDone(error)) {
                takeBack(session, history, script.key, step.statementsDone);
                failed(step, error);
            }
        }
        history.recordDone(script.key, ++step.statementsDone);
        session.run("COMMIT");
        if (progress)
            progress(step);
    }
    history.finish(script.key);
}

void Migrator::failed(const MigrationStep& step, const DatabaseError& error) {
    throw MigrationError("migration " + nameOf(step) + ", statement " + std::to_string(step.statementsDone + 1) +
                         " of " + std::to_string(step.statementsTotal) + " failed: " + error.what());
}

} // namespace supplierd::host
