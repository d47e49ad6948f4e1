#include "host/audit/AuditStore.h"
#include "host/config/CheckedConfig.h"
#include "host/ctl/plugin/PluginExamination.h"
#include "host/jobs/ChangeFollower.h"
#include "host/jobs/JobScheduler.h"
#include "host/observe/CurrentReason.h"
#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/PluginLibrary.h"
#include "host/plugins/PluginNoteReader.h"
#include "host/plugins/PluginOperations.h"
#include "host/plugins/PluginOrder.h"
#include "host/plugins/PluginSet.h"
#include "host/plugins/ServiceRegistry.h"
#include "host/services/PluginHost.h"

#include <supplierd/testing/FakeDatabase.h>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

class EmptyDatabase final : public Database {
public:
    EmptyDatabase() {
        _fake.whenQuery("").thenRows({});
        _fake.whenExecute("").thenAffects(0);
    }
    void withSession(const std::function<void(SqlSession&)>& work) override {
        const std::lock_guard lock(_mutex);
        _fake.withSession(work);
    }
    std::int64_t execute(std::string_view sql, SqlParams params) override {
        const std::lock_guard lock(_mutex);
        return _fake.execute(sql, params);
    }
    void withTransaction(const std::function<void(Transaction&)>& work) override {
        const std::lock_guard lock(_mutex);
        _fake.withTransaction(work);
    }
    void withSnapshot(const std::function<void(SqlSession&)>& work) override {
        const std::lock_guard lock(_mutex);
        _fake.withSnapshot(work);
    }
    CommittedNumbers committed(std::int64_t supplierId) override {
        const std::lock_guard lock(_mutex);
        return _fake.committed(supplierId);
    }

private:
    std::mutex _mutex;
    testing::FakeDatabase _fake;
};

class ProblemLog final : public Logger {
public:
    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
        if (level < LogLevel::Warning)
            return;
        std::string line(message);
        for (const auto& field : fields)
            line.append(", ").append(field.name).append(": ").append(field.value);
        const std::lock_guard lock(_mutex);
        _lines.push_back(std::move(line));
    }

    std::vector<std::string> lines() const {
        const std::lock_guard lock(_mutex);
        return _lines;
    }

private:
    mutable std::mutex _mutex;
    std::vector<std::string> _lines;
};

/// Hosts without a server: every query has no rows, every other statement changes nothing; the host's own services are
/// there, and those that plugins offer. Thread: any.
class ValidationHosts {
public:
    void setKnownScopes(const std::vector<Scope>& known) {
        std::vector<std::string> scopes;
        for (const Scope& scope : known)
            scopes.push_back(scope.name);
        _offered.keys().setKnownScopes(std::move(scopes));
    }

    Host& hostOf(const LoadedPlugin& plugin, const std::shared_ptr<Logger>& log) {
        const PluginHost::Dependencies shared{.database = _database, .services = _services, .registry = _metrics};
        const PluginScope::Dependencies own{
            .pluginId = plugin.id(),
            .addJob = [this](const std::string& id, Job job) { _jobs.add(id, std::move(job)); },
            .addReader =
                [this](const std::string& id, ChangeReader reader) {
                    _jobs.add(id, ChangeFollower::job(id, std::move(reader), {_database, _commits, *_log, *_metrics}));
                },
            .operations = _operations,
            .audit = _audit,
            .stateDir = std::filesystem::temp_directory_path() / "state"};
        _hosts.push_back(std::make_unique<PluginHost>(plugin, shared, own, log));
        return *_hosts.back();
    }

private:
    EmptyDatabase _database;
    std::shared_ptr<ProblemLog> _log = std::make_shared<ProblemLog>();
    std::shared_ptr<prometheus::Registry> _metrics = std::make_shared<prometheus::Registry>();
    AuditStore _audit;
    ServiceRegistry _services;
    HostServices _offered{_services, _audit, ServerSettings().memory, _metrics};
    CommitFeed _commits;
    JobScheduler _jobs{_database, *_log, _metrics, {}}; ///< never started: says what is wrong with a job
    PluginOperations _operations;
    std::vector<std::unique_ptr<PluginHost>> _hosts;
};

/// The plugins that another one needs, started before it and stopped after it.
class NeededLife {
public:
    /// Never throws for their sake: whyNot() says why they are not there.
    NeededLife(const PluginSubject& subject, const LoadedPlugin& plugin, ValidationHosts& hosts) : _hosts(hosts) {
        // Of those that can be loaded, in this process; see PluginSubject::others.
        const auto inspect = [&](const std::filesystem::path& file) {
            if (std::none_of(subject.others.begin(), subject.others.end(),
                             [&](const PluginListing& other) { return other.id == file.stem(); }))
                throw PluginFileError(file.string() + " cannot be loaded");
            return inspectPlugin(file);
        };
        try {
            auto needed = NeededPlugins::find(plugin.description.needs, subject.settings.server.pluginDir, inspect);
            std::erase_if(needed.files, [&](const auto& file) { return file.stem() == plugin.id(); });
            if (needed.missing.empty())
                start(subject.settings, needed.files);
            else
                _whyNot = fmt::format("it needs {}, which is not installed here", fmt::join(needed.missing, ", "));
        } catch (const std::runtime_error& failure) {
            _whyNot = failure.what();
        }
    }

    const std::string& whyNot() const { return _whyNot; }

private:
    void start(Settings settings, const std::vector<std::filesystem::path>& files) {
        if (files.empty())
            return;
        settings.server.pluginsEnabled = std::filesystem::temp_directory_path() / "needed";
        std::filesystem::create_directory(settings.server.pluginsEnabled);
        for (const auto& file : files)
            std::filesystem::create_symlink(file, settings.server.pluginsEnabled / file.filename());
        Diagnostics problems;
        _plugins = std::make_unique<PluginSet>(PluginSet::load(settings, problems));
        if (problems.hasErrors())
            for (const auto& problem : problems)
                _whyNot += (_whyNot.empty() ? "" : "; ") + problem.message;
        else
            _plugins->start([this](const LoadedPlugin& needed) -> Host& { return _hosts.hostOf(needed, _log); },
                            problems);
    }

    ValidationHosts& _hosts;
    std::shared_ptr<ProblemLog> _log = std::make_shared<ProblemLog>(); ///< theirs, not of the plugin that is examined
    std::unique_ptr<PluginSet> _plugins;
    std::string _whyNot;
};

class PluginLifecycle {
public:
    PluginLifecycle(const PluginSubject& subject, const PluginNoteInfo& note, FindingWriter& findings)
        : _subject(subject), _findings(findings) {
        _plugin.note = note;
    }

    void run() {
        if (!findsItsSymbols() || !load())
            return;
        _findings.enter("checking its description");
        for (const Finding& finding : checkDescription(_plugin, _subject.others))
            _findings.add(finding);
        if (configure())
            runStages();
        _findings.enter("destroying it");
        _plugin.description = {}; // its handlers go before the object that they call
        _plugin.instance.reset();
    }

private:
    /// In a namespace of its own, where no library of this program can stand in for one that it forgot to link.
    bool findsItsSymbols() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        return true; // there a sanitizer's runtime would be loaded a second time, which ends the process
#endif
        _findings.enter("resolving its symbols");
        const std::string file = std::filesystem::absolute(_subject.file).string();
        if (::dlmopen(LM_ID_NEWLM, file.c_str(), RTLD_NOW | RTLD_LOCAL))
            return true;
        const std::string reason = withoutControls(::dlerror());
        constexpr std::string_view MISSING = "undefined symbol: ";
        const std::size_t at = reason.find(MISSING);
        if (at == std::string::npos)
            return true; // no such namespaces here, or something that loading it says better
        const std::string symbol = reason.substr(at + MISSING.size());
        _findings.add({Finding::Level::Error, "symbols",
                       "nothing that it links defines " + demangled(symbol.substr(0, symbol.find_first_of(" ,\n"))),
                       "link what defines it: supplierd_add_plugin(... LIBRARIES ...)"});
        return false;
    }

    bool load() {
        try {
            _findings.enter("loading it");
            const PluginLibrary library(_subject.file);
            _findings.enter("constructing it");
            _plugin.instance = library.create();
            _findings.enter("describe()");
            _plugin.description = describe(_plugin.note, *_plugin.instance);
            return true;
        } catch (const PluginFileError& error) {
            _findings.add({Finding::Level::Error, "load", error.what(), "see the message"});
            return false;
        }
    }

    bool configure() {
        _findings.enter("configure()");
        Diagnostics problems;
        const auto config =
            CheckedConfig::check(_plugin.description.config, &_subject.configuration,
                                 {"plugins." + _plugin.id(), {}, std::filesystem::current_path()}, problems);
        for (const auto& problem : problems)
            _findings.add({problem.warning ? Finding::Level::Warning : Finding::Level::Error, "configuration",
                           problem.toString(),
                           "give it a value for this examination: --set KEY=VALUE, written as in the file"});
        if (problems.hasErrors())
            return false;
        try {
            _plugin.instance->configure(config);
            _findings.add({Finding::Level::Good, "configuration",
                           fmt::format("{} keys, accepted", _plugin.description.config.size())});
            return true;
        } catch (...) {
            _findings.add({Finding::Level::Error, "configuration", "configure() refuses: " + currentReason(),
                           "give it values that it takes: --set KEY=VALUE; defaults must be good ones"});
            return false;
        }
    }

    void runStages() {
        ValidationHosts hosts;
        _findings.enter("starting the plugins that it needs");
        const NeededLife needed(_subject, _plugin, hosts);
        _whyNotNeeded = needed.whyNot();
        hosts.setKnownScopes(_plugin.description.scopes);
        const auto log = std::make_shared<ProblemLog>();
        Host& host = hosts.hostOf(_plugin, log);
        Plugin& plugin = *_plugin.instance;
        bool isUp = attempt("start()", [&] { plugin.start(host); });
        if (isUp) {
            for (const auto& offer : _plugin.description.offers)
                if (!host.findService(offer))
                    _findings.add({Finding::Level::Error, "services",
                                   "start() did not offer the service '" + offer + "'",
                                   "call host.offer() for it, or take it out of PluginDescription::offers"});
            isUp = attempt("ready()", [&] { plugin.ready(); });
            isUp = attempt("drain()", [&] { plugin.drain(); }) && isUp;
        }
        _findings.enter("stop()");
        plugin.stop();
        if (isUp)
            _findings.add({Finding::Level::Good, "life", "it starts, becomes ready, drains and stops"});
        for (const auto& line : log->lines())
            _findings.add({Finding::Level::Warning, "log", "it logged: " + line});
    }

    bool attempt(const std::string& stage, const std::function<void()>& step) {
        _findings.enter(stage);
        try {
            step();
            return true;
        } catch (...) {
            const std::string reason = stage + " failed: " + currentReason();
            if (_whyNotNeeded.empty())
                _findings.add({Finding::Level::Error, "life", reason, "see the message; there was an empty database"});
            else
                _findings.add(
                    {Finding::Level::Warning, "life", fmt::format("{} ({})", reason, _whyNotNeeded),
                     "install what it needs, or see it run: supplierctl plugin run " + _subject.file.string()});
            return false;
        }
    }

    const PluginSubject& _subject;
    FindingWriter& _findings;
    LoadedPlugin _plugin;
    std::string _whyNotNeeded; ///< empty: what it needs runs
};

} // namespace

NeededPlugins NeededPlugins::find(std::vector<std::string> needs, const std::filesystem::path& folder,
                                  const PluginInspector& inspect) {
    const PluginSymlinks installed(folder, folder, inspect);
    NeededPlugins found;
    std::set<std::string> ids;
    while (!needs.empty()) {
        const PluginNeed need = PluginNeed::parse(needs.back());
        needs.pop_back();
        const auto offerers = need.isService() ? installed.offerersOf(need.name) : std::vector<std::string>();
        const std::string id = offerers.empty() ? need.name : offerers.front();
        if (!ids.insert(id).second)
            continue;
        if (!installed.isInstalled(id)) {
            found.missing.push_back(need.name);
            continue;
        }
        const std::filesystem::path file = folder / (id + ".so");
        const auto facts = inspect(file);
        found.files.push_back(std::filesystem::absolute(file));
        needs.insert(needs.end(), facts.needs.begin(), facts.needs.end());
    }
    return found;
}

void runLifecycle(const PluginSubject& subject, const PluginNoteInfo& note, FindingWriter& findings) noexcept {
    PluginLifecycle(subject, note, findings).run();
}

} // namespace supplierd::host
