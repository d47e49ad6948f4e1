#include "host/ctl/plugin/ValidationHost.h"

#include <prometheus/registry.h>

#include <filesystem>
#include <utility>

namespace supplierd::host {

ValidationHost::ValidationHost(const LoadedPlugin& plugin)
    : _id(plugin.id()),
      _offers(plugin.description.offers),
      _metrics(std::make_shared<prometheus::Registry>(), plugin.id()),
      _jobs(_database, _log, std::make_shared<prometheus::Registry>()),
      _scope({.pluginId = plugin.id(),
              .addJob = [this](const std::string& id, Job job) { _jobs.add(id, std::move(job)); },
              .operations = _operations,
              .stateDir = std::filesystem::temp_directory_path() / "state"}) {
    const std::vector<std::string> own = {std::string(ApiKeys::ID), std::string(AuditLog::ID),
                                          std::string(Suppliers::ID)};
    _services.offer("supplierd", own, ApiKeys::ID, static_cast<ApiKeys*>(&_keys));
    _services.offer("supplierd", own, AuditLog::ID, static_cast<AuditLog*>(&_audit));
    _services.offer("supplierd", own, Suppliers::ID, static_cast<Suppliers*>(&_suppliers));
}

ValidationHost::EmptyDatabase::EmptyDatabase() {
    _fake.whenQuery("").thenRows({});
    _fake.whenExecute("").thenAffects(0);
}

void ValidationHost::EmptyDatabase::withSession(const std::function<void(SqlSession&)>& work) {
    const std::lock_guard lock(_mutex);
    _fake.withSession(work);
}

void ValidationHost::EmptyDatabase::withTransaction(const std::function<void(Transaction&)>& work) {
    const std::lock_guard lock(_mutex);
    _fake.withTransaction(work);
}

void ValidationHost::EmptyDatabase::withSnapshot(const std::function<void(SqlSession&)>& work) {
    const std::lock_guard lock(_mutex);
    _fake.withSnapshot(work);
}

void ValidationHost::Complaints::write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (level < LogLevel::Warning)
        return;
    std::string line(message);
    for (const auto& field : fields)
        line.append(", ").append(field.name).append(": ").append(field.value);
    const std::lock_guard lock(_mutex);
    _lines.push_back(std::move(line));
}

std::vector<std::string> ValidationHost::Complaints::lines() const {
    const std::lock_guard lock(_mutex);
    return _lines;
}

} // namespace supplierd::host
