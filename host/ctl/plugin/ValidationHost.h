#pragma once

#include "host/audit/AuditStore.h"
#include "host/auth/ApiKeyStore.h"
#include "host/auth/SupplierStore.h"
#include "host/jobs/JobScheduler.h"
#include "host/observe/PluginMetrics.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginScope.h"
#include "host/plugins/ServiceRegistry.h"

#include <supplierd/Host.h>
#include <supplierd/testing/FakeDatabase.h>

#include <mutex>
#include <string>
#include <vector>

namespace supplierd::host {

/// A host without a server, for one plugin: every query has no rows, every other statement changes nothing; the host's
/// own services are there. Thread: any.
class ValidationHost final : public Host {
public:
    explicit ValidationHost(const LoadedPlugin& plugin);

    Database& database() override { return _database; }
    Logger& log() override { return _log; }
    Metrics& metrics() override { return _metrics; }
    void offerService(std::string_view id, void* service) override { _services.offer(_id, _offers, id, service); }
    void* findService(std::string_view id) override {
        void* const own = _scope.find(id);
        return own ? own : _services.find(id);
    }
    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }

    /// Warnings and errors that the plugin logged.
    std::vector<std::string> complaints() const { return _log.lines(); }

private:
    class EmptyDatabase final : public Database {
    public:
        EmptyDatabase();
        void withSession(const std::function<void(SqlSession&)>& work) override;
        void withTransaction(const std::function<void(Transaction&)>& work) override;
        void withSnapshot(const std::function<void(SqlSession&)>& work) override;

    private:
        std::mutex _mutex;
        testing::FakeDatabase _fake;
    };

    class Complaints final : public Logger {
    public:
        void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override;
        std::vector<std::string> lines() const;

    private:
        mutable std::mutex _mutex;
        std::vector<std::string> _lines;
    };

    std::string _id;
    std::vector<std::string> _offers;
    EmptyDatabase _database;
    Complaints _log;
    PluginMetrics _metrics;
    ApiKeyStore _keys;
    AuditStore _audit;
    SupplierStore _suppliers;
    ServiceRegistry _services;
    JobScheduler _jobs; ///< never started: says what is wrong with a job
    PluginOperations _operations;
    PluginScope _scope;
};

} // namespace supplierd::host
