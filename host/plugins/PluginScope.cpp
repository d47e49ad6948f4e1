#include "host/plugins/PluginScope.h"

#include "host/jobs/JobStore.h"

#include <supplierd/JsonWriter.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::string_view GET_SQL = "SELECT value FROM plugin_settings WHERE plugin = ? AND name = ?";
constexpr std::string_view ALL_SQL = "SELECT name, value FROM plugin_settings WHERE plugin = ?";
constexpr std::string_view SET_SQL = R"sql(
INSERT INTO plugin_settings (plugin, name, value, changed_at) VALUES (?, ?, ?, NOW(6))
ON DUPLICATE KEY UPDATE value = VALUES(value), changed_at = VALUES(changed_at)
)sql";
constexpr std::string_view REMOVE_SQL = "DELETE FROM plugin_settings WHERE plugin = ? AND name = ?";

constexpr std::string_view REMAINS_SQL = R"sql(
SELECT (SELECT COUNT(*) FROM plugin_settings WHERE plugin = ?), (SELECT COUNT(*) FROM jobs WHERE plugin = ?)
)sql";
constexpr std::string_view REMOVE_SETTINGS_SQL = "DELETE FROM plugin_settings WHERE plugin = ?";
constexpr std::string_view REMOVE_JOBS_SQL = "DELETE FROM jobs WHERE plugin = ?";
constexpr std::string_view REMOVE_READERS_SQL = "DELETE FROM change_readers WHERE plugin = ?";
constexpr std::string_view REMOVE_PLACES_SQL = "DELETE FROM change_places WHERE plugin = ?";

void requireSettingName(std::string_view name) {
    constexpr std::string_view ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    if (name.empty() || name.size() > PluginSettings::MAX_NAME ||
        name.find_first_not_of(ALLOWED) != std::string_view::npos)
        throw std::invalid_argument("'" + std::string(name) + "' is no name of a setting");
}

/// Nobody but the server's user has a business there, whatever the umask says.
void makePrivateFolder(const std::filesystem::path& folder) {
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST)
        return;
    throw std::runtime_error("cannot make the folder " + folder.string() + ": " + std::strerror(errno) +
                             "; see server.state_dir");
}

} // namespace

PluginScope::PluginScope(Dependencies dependencies) : _deps(std::move(dependencies)) {}

void* PluginScope::find(std::string_view serviceId) {
    if (serviceId == Jobs::ID)
        return static_cast<Jobs*>(&_jobs);
    if (serviceId == ChangeReaders::ID)
        return static_cast<ChangeReaders*>(&_readers);
    if (serviceId == PluginSettings::ID)
        return static_cast<PluginSettings*>(&_settings);
    if (serviceId == Operations::ID)
        return static_cast<Operations*>(&_operations);
    if (serviceId == StateFolder::ID)
        return static_cast<StateFolder*>(&_folder);
    return nullptr;
}

void PluginScope::OwnJobs::add(Job job) {
    _deps.addJob(_deps.pluginId, std::move(job));
}

bool PluginScope::OwnJobs::wake(SqlSession& session, std::string_view name) {
    return woken(JobStore::wake(session, {_deps.pluginId, std::string(name)}));
}

std::optional<std::int64_t> PluginScope::OwnJobs::request(Transaction& transaction, std::string_view name,
                                                          std::string_view input, const Actor& actor) {
    JobStore::requireJson(input, MAX_INPUT_BYTES);
    const auto run =
        JobStore::request(transaction, {_deps.pluginId, std::string(name)}, {std::string(input), actor.name});
    if (!run)
        return run;
    auto entry = auditEntry(actor, "job", "request", 0, std::nullopt);
    JsonWriter json(entry.after);
    json.beginObject().field("plugin", _deps.pluginId).field("name", name).key("input").raw(input).endObject();
    _deps.audit.record(transaction, entry);
    woken(true);
    return run;
}

bool PluginScope::OwnJobs::woken(bool isThere) const {
    if (isThere && _deps.wokeJob)
        _deps.wokeJob();
    return isThere;
}

void PluginScope::OwnReaders::add(ChangeReader reader) {
    _deps.addReader(_deps.pluginId, std::move(reader));
}

std::string PluginScope::OwnFolder::path() {
    const auto folder = stateFolderOf(_deps.stateDir, _deps.pluginId);
    const std::lock_guard lock(_mutex);
    makePrivateFolder(_deps.stateDir);
    makePrivateFolder(folder);
    if (!std::filesystem::is_directory(folder))
        throw std::runtime_error(folder.string() + " is no folder; see server.state_dir");
    return folder.string();
}

void PluginScope::OwnOperations::addCheck(Check check) {
    _deps.operations.addCheck(_deps.pluginId, std::move(check));
}

void PluginScope::OwnOperations::addReadiness(std::function<std::string()> reason) {
    _deps.operations.addReadiness(_deps.pluginId, std::move(reason));
}

void PluginScope::OwnOperations::addAuditKind(std::string kind) {
    _deps.operations.addAuditKind(_deps.pluginId, std::move(kind));
}

std::optional<std::string> PluginScope::OwnSettings::get(SqlSession& session, std::string_view name) {
    Rows& rows = session.query(GET_SQL, {_deps.pluginId, name});
    return rows.next() ? std::optional<std::string>(rows.text(0)) : std::nullopt;
}

std::map<std::string, std::string> PluginScope::OwnSettings::all(SqlSession& session) {
    std::map<std::string, std::string> found;
    Rows& rows = session.query(ALL_SQL, {_deps.pluginId});
    while (rows.next())
        found.emplace(rows.text(0), rows.text(1));
    return found;
}

void PluginScope::OwnSettings::set(Transaction& transaction, std::string_view name, std::string_view value) {
    requireSettingName(name);
    if (value.size() > MAX_VALUE)
        throw std::invalid_argument("the setting '" + std::string(name) + "' is longer than 64 KiB");
    transaction.execute(SET_SQL, {_deps.pluginId, name, value});
}

void PluginScope::OwnSettings::remove(Transaction& transaction, std::string_view name) {
    transaction.execute(REMOVE_SQL, {_deps.pluginId, name});
}

std::filesystem::path stateFolderOf(const std::filesystem::path& stateDir, const std::string& pluginId) {
    return stateDir / pluginId;
}

PluginRemains findRemains(SqlSession& session, const std::string& pluginId) {
    Rows& rows = session.query(REMAINS_SQL, {pluginId, pluginId});
    rows.next();
    return {rows.integer(0), rows.integer(1)};
}

void removeRemains(SqlSession& session, const std::string& pluginId) {
    session.execute(REMOVE_SETTINGS_SQL, {pluginId});
    session.execute(REMOVE_JOBS_SQL, {pluginId});
    session.execute(REMOVE_READERS_SQL, {pluginId});
    session.execute(REMOVE_PLACES_SQL, {pluginId});
}

} // namespace supplierd::host
