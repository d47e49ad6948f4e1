#include "host/db/schema/Migrator.h"

#include "CoreMigrations.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/schema/MigrationRun.h"
#include "host/db/schema/SchemaLease.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace supplierd::host {

namespace {

constexpr std::string_view CORE = "core";
/// A process that stands still within a transaction loses it (MariaDB only): the next one waits for its row.
constexpr std::string_view LIMITS_SQL = "SET lock_wait_timeout = {} /*M!100301 , idle_transaction_timeout = 15 */";

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

std::string waitingMessage(const std::vector<MigrationStep>& steps) {
    return "left for later: " + listOf(steps) + (steps.size() == 1 ? ", which takes" : ", which take") +
           " away what the release before this one uses; when none of its servers runs any more, run `supplierctl "
           "migrate --contract`";
}

UnfitPlugin aheadPlugin(const std::string& id, const std::vector<MigrationStep>& steps) {
    return {id, UnfitPlugin::Reason::Ahead,
            fmt::format("plugin '{0}' is older than its tables: {1} {2} unknown to it; install the release of the "
                        "plugin that brought {3}, or a newer one: `apt-get install --only-upgrade "
                        "supplierd-plugin-{0}` (if it is not of supplierd: its author's package); or, to begin without "
                        "its data, run `supplierctl plugin disable {0}` and `supplierctl plugin remove --data {0}`",
                        id, listOf(steps), steps.size() == 1 ? "is" : "are", steps.size() == 1 ? "it" : "them")};
}

UnfitPlugin behindPlugin(const std::string& id, const std::vector<MigrationStep>& steps) {
    return {id, UnfitPlugin::Reason::Behind,
            fmt::format("plugin '{}' is newer than its tables: {} {} not applied; run `supplierctl migrate`, then "
                        "reload supplierd",
                        id, listOf(steps), steps.size() == 1 ? "is" : "are")};
}

std::string changedMessage(const MigrationStep& step, const AppliedMigration& applied) {
    return "migration " + nameOf(step) + " was changed after it " + (applied.finished ? "was applied" : "was begun") +
           "; restore the file as it was, and put changes into a new migration";
}

UnfitPlugin changedPlugin(const MigrationStep& step, const AppliedMigration& applied) {
    return {step.component, UnfitPlugin::Reason::Changed,
            fmt::format("plugin '{0}' is not the one that its tables were made by: {1} (install the package of the "
                        "plugin that this database was migrated with: supplierd-plugin-{0}, or its author's)",
                        step.component, changedMessage(step, applied))};
}

SessionSettings forMigrations(SessionSettings settings) {
    settings.statementTimeLimit = settings.readTimeout = settings.writeTimeout = std::chrono::milliseconds(0);
    settings.lockWaitTimeout = std::chrono::seconds(60);
    return settings;
}

} // namespace

Migrator::Migrator(SessionSettings settings, std::vector<MigrationSet> plugins, std::chrono::seconds tableWait)
    : _settings(std::move(settings)), _tableWait(tableWait) {
    plugins.insert(plugins.begin(), MigrationSet{std::string(CORE), core::migrations()});
    _scripts = MigrationScript::of(plugins);
}

Migrator::~Migrator() = default;

std::vector<MigrationStep> Migrator::plan(MigrationScope scope) {
    PooledSession session(openSession(_settings));
    return compare(SchemaHistory(session).read(), scope).missing;
}

SchemaStatus Migrator::check() {
    PooledSession session(openSession(_settings));
    return check(session);
}

SchemaStatus Migrator::check(PooledSession& session) const {
    Comparison found = compare(SchemaHistory(session).read(), MigrationScope::Expand);
    SchemaStatus status;
    status.waiting = std::move(found.waiting);
    status.unfit = std::move(found.unfit);
    if (!found.unknown.empty()) {
        status.state = SchemaState::Ahead;
        status.message = aheadMessage(found.unknown);
        status.steps = std::move(found.unknown);
    } else if (std::any_of(found.missing.begin(), found.missing.end(),
                           [](const MigrationStep& step) { return step.component == CORE; })) {
        status.state = SchemaState::Behind;
        status.message = behindMessage(found.missing);
        status.steps = std::move(found.missing);
    } else {
        std::map<std::string, std::vector<MigrationStep>> missing;
        for (MigrationStep& step : found.missing)
            missing[step.component].push_back(std::move(step));
        for (const auto& [plugin, steps] : missing)
            status.unfit.push_back(behindPlugin(plugin, steps));
    }
    return status;
}

bool SchemaStatus::isBehind() const {
    return state == SchemaState::Behind || std::any_of(unfit.begin(), unfit.end(), [](const UnfitPlugin& plugin) {
               return plugin.reason == UnfitPlugin::Reason::Behind;
           });
}

void Migrator::apply(const Progress& progress, const Notice& notice, MigrationScope scope) {
    {
        // Nothing to do needs no lease, and no right to change the schema.
        PooledSession session(openSession(_settings));
        SchemaHistory history(session);
        const Comparison found = compareToApply(history, scope);
        if (notice)
            for (const UnfitPlugin& plugin : found.unfit)
                notice(plugin.message);
        if (found.missing.empty() && unrecordedTables(history).empty()) {
            if (notice && !found.waiting.empty())
                notice(waitingMessage(found.waiting));
            return;
        }
    }
    SchemaLease lease(_settings, LEASE_PATIENCE, notice);
    PooledSession session(openSession(forMigrations(_settings)));
    session.run(fmt::format(LIMITS_SQL, _tableWait.count()));
    SchemaHistory history(session, lease.owner());
    history.createTables();
    for (const auto& [component, tables] : unrecordedTables(history))
        history.recordTables(component, tables);
    const Comparison found = compareToApply(history, scope);
    refuseHalfRemoved(found.missing, history);
    const SchemaHistory::Entries applied = history.read();
    MigrationRun run(session, lease, progress, notice);
    for (const MigrationStep& step : found.missing) {
        const MigrationScript& script = this->script(step);
        run.apply(script, step, applied.contains(script.key));
    }
    if (notice && !found.waiting.empty())
        notice(waitingMessage(found.waiting));
}

Migrator::Comparison Migrator::compareToApply(SchemaHistory& history, MigrationScope scope) const {
    Comparison found = compare(history.read(), scope);
    if (!found.unknown.empty())
        throw MigrationError(aheadMessage(found.unknown));
    return found;
}

Migrator::Comparison Migrator::compare(const SchemaHistory::Entries& applied, MigrationScope scope) const {
    Comparison found;
    compareTexts(applied, found);
    compareNumbers(applied, found);
    findMissing(applied, scope, found);
    return found;
}

void Migrator::findMissing(const SchemaHistory::Entries& applied, MigrationScope scope, Comparison& found) const {
    const auto isUnfit = [&](const std::string& component) {
        return std::any_of(found.unfit.begin(), found.unfit.end(),
                           [&](const UnfitPlugin& plugin) { return plugin.id == component; });
    };
    for (const MigrationScript& script : _scripts) {
        MigrationStep step = script.step();
        const auto entry = applied.find(script.key);
        if ((entry != applied.end() && entry->second.finished) || isUnfit(step.component))
            continue;
        step.statementsDone = entry == applied.end() ? 0 : entry->second.statementsDone;
        const bool isLater = scope == MigrationScope::Expand && waits(script, applied);
        (isLater ? found.waiting : found.missing).push_back(std::move(step));
    }
}

bool Migrator::waits(const MigrationScript& script, const SchemaHistory::Entries& applied) const {
    const std::string& component = script.key.first;
    const bool isFollowed = std::any_of(_scripts.begin(), _scripts.end(), [&](const MigrationScript& other) {
        return other.key.first == component && other.key.second > script.key.second && !other.contracts;
    });
    const auto first = applied.lower_bound({component, 0});
    const bool isNew = first == applied.end() || first->first.first != component;
    return script.contracts && !isFollowed && !isNew;
}

void Migrator::compareTexts(const SchemaHistory::Entries& applied, Comparison& found) const {
    std::set<std::string> changed;
    for (const MigrationScript& script : _scripts) {
        const auto entry = applied.find(script.key);
        if (entry == applied.end() || entry->second.checksum == script.checksum)
            continue;
        if (script.key.first == CORE)
            throw MigrationError(changedMessage(script.step(), entry->second));
        if (changed.insert(script.key.first).second)
            found.unfit.push_back(changedPlugin(script.step(), entry->second));
    }
}

/// Of components that this program knows: a plugin that is not enabled now may have left others.
void Migrator::compareNumbers(const SchemaHistory::Entries& applied, Comparison& found) const {
    std::map<std::string, int> newest;
    for (const MigrationScript& script : _scripts)
        newest[script.key.first] = script.key.second;
    std::map<std::string, std::vector<MigrationStep>> unknown;
    for (const auto& [key, entry] : applied) {
        const auto known = newest.find(key.first);
        if (known != newest.end() && key.second > known->second)
            unknown[key.first].push_back(
                {key.first, key.second, entry.name, entry.statementsDone, entry.statementsTotal});
    }
    for (auto& [component, steps] : unknown) {
        if (component == CORE)
            found.unknown = std::move(steps);
        else
            found.unfit.push_back(aheadPlugin(component, steps));
    }
}

/// Of what is applied, and not in schema_tables: so it is after an update from a release that did not keep that table.
Migrator::TablesByComponent Migrator::unrecordedTables(SchemaHistory& history) const {
    const SchemaHistory::Entries applied = history.read();
    TablesByComponent tables;
    for (const MigrationScript& script : _scripts) {
        if (!applied.contains(script.key))
            continue;
        std::set<std::string>& own = tables[script.key.first];
        own.insert(script.tables.created.begin(), script.tables.created.end());
        if (applied.at(script.key).finished)
            for (const std::string& table : script.tables.dropped)
                own.erase(table);
    }
    const SchemaHistory::Tables recorded = history.readTables();
    for (auto& [component, own] : tables)
        std::erase_if(own, [&](const std::string& table) { return recorded.contains(table); });
    std::erase_if(tables, [](const auto& entry) { return entry.second.empty(); });
    return tables;
}

/// Records of tables without one of migrations are what an interrupted removal leaves.
void Migrator::refuseHalfRemoved(const std::vector<MigrationStep>& steps, SchemaHistory& history) {
    const SchemaHistory::Entries applied = history.read();
    const SchemaHistory::Tables tables = history.readTables();
    for (const MigrationStep& step : steps) {
        const bool isNew = step.number == 1 && !applied.contains({step.component, step.number});
        const bool hasTables = std::any_of(tables.begin(), tables.end(),
                                           [&](const auto& entry) { return entry.second == step.component; });
        if (isNew && hasTables)
            throw MigrationError(
                fmt::format("the data of plugin '{0}' is half removed; finish that first: `supplierctl "
                            "plugin disable {0}`, `supplierctl plugin remove --data {0}`",
                            step.component));
    }
}

const MigrationScript& Migrator::script(const MigrationStep& step) const {
    return *std::find_if(_scripts.begin(), _scripts.end(), [&](const MigrationScript& script) {
        return script.key.first == step.component && script.key.second == step.number;
    });
}

} // namespace supplierd::host
