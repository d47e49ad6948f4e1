#pragma once

#include "host/audit/AuditStore.h"
#include "host/jobs/JobScheduler.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginOperations.h"
#include "host/plugins/ServiceRegistry.h"
#include "host/services/HostServices.h"
#include "host/services/PluginHost.h"

#include <supplierd/testing/FakeDatabase.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::host {

/// A host without a server, for one plugin: every query has no rows, every other statement changes nothing; the host's
/// own services are there. Thread: any.
class ValidationHost {
public:
    explicit ValidationHost(const LoadedPlugin& plugin);

    Host& host() { return _host; }

    /// Warnings and errors that the plugin logged.
    std::vector<std::string> complaints() const { return _complaints.lines(); }

private:
    class EmptyDatabase final : public Database {
    public:
        EmptyDatabase();
        void withSession(const std::function<void(SqlSession&)>& work) override;
        std::int64_t execute(std::string_view sql, SqlParams params) override;
        void withTransaction(const std::function<void(Transaction&)>& work) override;
        void withSnapshot(const std::function<void(SqlSession&)>& work) override;

    private:
        std::mutex _mutex;
        testing::FakeDatabase _fake;
    };

    class Complaints {
    public:
        void add(std::string line);
        std::vector<std::string> lines() const;

    private:
        mutable std::mutex _mutex;
        std::vector<std::string> _lines;
    };

    class Log final : public Logger {
    public:
        explicit Log(Complaints& complaints) : _complaints(complaints) {}
        void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override;

    private:
        Complaints& _complaints;
    };

    EmptyDatabase _database;
    Complaints _complaints;
    Log _log{_complaints};
    std::shared_ptr<prometheus::Registry> _metrics = std::make_shared<prometheus::Registry>();
    AuditStore _audit;
    ServiceRegistry _services;
    HostServices _offered{_services, _database, _audit};
    JobScheduler _jobs{_database, _log, _metrics, {}}; ///< never started: says what is wrong with a job
    PluginOperations _operations;
    PluginHost _host;
};

} // namespace supplierd::host
