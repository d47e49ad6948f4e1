#include "host/ctl/plugin/ValidationHost.h"

#include <filesystem>
#include <utility>

namespace supplierd::host {

ValidationHost::ValidationHost(const LoadedPlugin& plugin)
    : _host(plugin, {.database = _database, .services = _services, .registry = _metrics},
            {.pluginId = plugin.id(),
             .addJob = [this](const std::string& id, Job job) { _jobs.add(id, std::move(job)); },
             .operations = _operations,
             .stateDir = std::filesystem::temp_directory_path() / "state"},
            std::make_shared<Log>(_complaints)) {
    std::vector<std::string> scopes;
    for (const Scope& scope : plugin.description.scopes)
        scopes.push_back(scope.name);
    _offered.keys().setKnownScopes(std::move(scopes));
}

ValidationHost::EmptyDatabase::EmptyDatabase() {
    _fake.whenQuery("").thenRows({});
    _fake.whenExecute("").thenAffects(0);
}

void ValidationHost::EmptyDatabase::withSession(const std::function<void(SqlSession&)>& work) {
    const std::lock_guard lock(_mutex);
    _fake.withSession(work);
}

std::int64_t ValidationHost::EmptyDatabase::execute(std::string_view sql, SqlParams params) {
    const std::lock_guard lock(_mutex);
    return _fake.execute(sql, params);
}

void ValidationHost::EmptyDatabase::withTransaction(const std::function<void(Transaction&)>& work) {
    const std::lock_guard lock(_mutex);
    _fake.withTransaction(work);
}

void ValidationHost::EmptyDatabase::withSnapshot(const std::function<void(SqlSession&)>& work) {
    const std::lock_guard lock(_mutex);
    _fake.withSnapshot(work);
}

void ValidationHost::Log::write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (level < LogLevel::Warning)
        return;
    std::string line(message);
    for (const auto& field : fields)
        line.append(", ").append(field.name).append(": ").append(field.value);
    _complaints.add(std::move(line));
}

void ValidationHost::Complaints::add(std::string line) {
    const std::lock_guard lock(_mutex);
    _lines.push_back(std::move(line));
}

std::vector<std::string> ValidationHost::Complaints::lines() const {
    const std::lock_guard lock(_mutex);
    return _lines;
}

} // namespace supplierd::host
