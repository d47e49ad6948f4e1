#pragma once

#include "host/plugins/PluginOperations.h"

#include <supplierd/Database.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/ChangeReaders.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/StateFolder.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// The services of the host that each plugin has for itself: its jobs, its readers of the change log, its settings,
/// its folder, what it brings for operators. Thread: any.
class PluginScope {
public:
    struct Dependencies {
        std::string pluginId;
        /// What becomes of its jobs.
        std::function<void(const std::string& pluginId, Job job)> addJob;
        /// It woke one, in a transaction that is not committed as yet; empty: nobody here has to know.
        std::function<void()> wokeJob = {};
        /// As that of its jobs, of its readers of the change log.
        std::function<void(const std::string& pluginId, ChangeReader reader)> addReader;
        PluginOperations& operations;
        AuditLog& audit;
        std::filesystem::path stateDir; ///< of the server
    };

    explicit PluginScope(Dependencies dependencies);

    /// Null for the id of another service.
    void* find(std::string_view serviceId);

private:
    class OwnJobs final : public Jobs {
    public:
        explicit OwnJobs(const Dependencies& dependencies) : _deps(dependencies) {}
        void add(Job job) override;
        bool wake(SqlSession& session, std::string_view name) override;
        std::optional<std::int64_t> request(Transaction& transaction, std::string_view name, std::string_view input,
                                            const Actor& actor) override;

    private:
        bool woken(bool isThere) const;

        const Dependencies& _deps;
    };

    class OwnReaders final : public ChangeReaders {
    public:
        explicit OwnReaders(const Dependencies& dependencies) : _deps(dependencies) {}
        void add(ChangeReader reader) override;

    private:
        const Dependencies& _deps;
    };

    class OwnFolder final : public StateFolder {
    public:
        explicit OwnFolder(const Dependencies& dependencies) : _deps(dependencies) {}
        std::string path() override;

    private:
        const Dependencies& _deps;
        std::mutex _mutex;
    };

    class OwnSettings final : public PluginSettings {
    public:
        explicit OwnSettings(const Dependencies& dependencies) : _deps(dependencies) {}
        std::optional<std::string> get(SqlSession& session, std::string_view name) override;
        std::map<std::string, std::string> all(SqlSession& session) override;
        void set(Transaction& transaction, std::string_view name, std::string_view value) override;
        void remove(Transaction& transaction, std::string_view name) override;

    private:
        const Dependencies& _deps;
    };

    class OwnOperations final : public Operations {
    public:
        explicit OwnOperations(const Dependencies& dependencies) : _deps(dependencies) {}
        void addCheck(Check check) override;
        void addReadiness(std::function<std::string()> reason) override;
        void addAuditKind(std::string kind) override;

    private:
        const Dependencies& _deps;
    };

    Dependencies _deps;
    OwnJobs _jobs{_deps};
    OwnReaders _readers{_deps};
    OwnFolder _folder{_deps};
    OwnOperations _operations{_deps};
    OwnSettings _settings{_deps};
};

/// The folder that a plugin's StateFolder::path() makes.
std::filesystem::path stateFolderOf(const std::filesystem::path& stateDir, const std::string& pluginId);

/// What PluginScope left in the database for a plugin.
struct PluginRemains {
    std::int64_t settings = 0;
    std::int64_t jobs = 0; ///< readers of the change log among them

    bool empty() const { return settings == 0 && jobs == 0; }
};
PluginRemains findRemains(SqlSession& session, const std::string& pluginId);
void removeRemains(SqlSession& session, const std::string& pluginId);

} // namespace supplierd::host
