// A plugin for tests: uses everything that the SDK has for running and operating one.
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/StateFolder.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr std::string_view NOTE_RUN = "INSERT INTO operated_runs (job, ran_at) VALUES (?, NOW(6))";

/// Until it is asked to end.
void waitForStop(JobRun& run) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait(lock, run.stopToken(), [] { return false; });
    run.throwIfStopped();
}

} // namespace

class OperatedPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Uses what the SDK has for operators";
        about.config = {{"fails_to_start", ConfigType::Boolean, "false", "Throw in start()"},
                        {.name = "bed",
                         .type = ConfigType::TableList,
                         .defaultValue = "[]",
                         .help = "What grows where",
                         .keys = {{"flower", ConfigType::Text, "", "What grows there"},
                                  {"rows", ConfigType::Integer, "1", "How many", 1, 100},
                                  {.name = "code",
                                   .type = ConfigType::Text,
                                   .defaultValue = "\"\"",
                                   .help = "Opens its gate",
                                   .secret = true}}}};
        about.migrations = {{1, "runs",
                             "CREATE TABLE operated_runs (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, "
                             "job VARCHAR(64) NOT NULL, ran_at DATETIME(6) NOT NULL) ENGINE=InnoDB;\n"}};
        about.routes = {{Method::Post, "/operated/wake/{job}", Audience::Public, "", Body::None,
                         [this](Request& request) { return wake(request); }},
                        {Method::Put, "/operated/settings/{name}", Audience::Public, "", Body::Json,
                         [this](Request& request) { return setSetting(request); }},
                        {Method::Get, "/operated/beds", Audience::Public, "", Body::None,
                         [this](Request& request) { return listBeds(request); }},
                        {Method::Get, "/operated/settings", Audience::Public, "", Body::None,
                         [this](Request& request) { return readSettings(request); }},
                        {Method::Post, "/operated/file", Audience::Public, "", Body::None,
                         [this](Request& request) { return writeFile(request); }}};
        return about;
    }

    void configure(const Config& config) override {
        _failsToStart = config.boolean("fails_to_start");
        for (const Config& bed : config.tables("bed")) {
            const auto place = "bed[" + std::to_string(_beds.size()) + "].flower";
            if (bed.text("flower") == "nettle")
                throw ConfigError(place, "nettles grow by themselves");
            _beds.push_back(std::to_string(bed.integer("rows")) + " " + bed.text("flower") + " " + bed.text("code"));
        }
    }

    void start(Host& host) override {
        if (_failsToStart)
            throw std::runtime_error("the cellar is flooded");
        _host = &host;
        _jobs = host.service<Jobs>();
        _settings = host.service<PluginSettings>();
        _folder = host.service<StateFolder>();
        addJobs();
        addOperations(*host.service<Operations>());
    }

private:
    void addJobs() {
        const auto noted = [](const char* name) {
            return [name](JobRun& run) {
                run.withTransaction([&](Transaction& transaction) { transaction.execute(NOTE_RUN, {name}); });
                run.report(std::string(name) + " was here");
            };
        };
        _jobs->add({"often", std::chrono::milliseconds(100), noted("often")});
        _jobs->add({"woken", {}, noted("woken")});
        _jobs->add({"failing", std::chrono::hours(1), [](JobRun&) { throw std::runtime_error("no water"); }});
        _jobs->add({"endless", {}, [](JobRun& run) { waitForStop(run); }});
    }

    void addOperations(Operations& operations) {
        operations.addAuditKind("operated");
        operations.addCommand({"runs",
                               "Count the runs of a job",
                               {{"JOB", "Its name", CommandOption::Kind::Text, true},
                                {"--at-least", "Fail when there are fewer", CommandOption::Kind::Integer},
                                {"--plain", "Say it in a sentence", CommandOption::Kind::Flag}},
                               [this](CommandRun& run) { countRuns(run); }});
        operations.addCommand({"weigh",
                               "Say what products weigh",
                               {{"FACTOR", "By which", CommandOption::Kind::Integer, true}},
                               [](CommandRun& run) {
                                   run.progress(1, 2);
                                   run.print(std::to_string(7 * run.integer("FACTOR").value_or(0)) + " kg");
                               },
                               "product"});
        operations.addCommand({"list", "Never seen: supplierctl has one", {}, [](CommandRun&) {}, "product"});
        operations.addCheck({"hose", [this]() -> CheckResult {
                                 const auto state = setting("hose");
                                 if (state == "leaks")
                                     return {CheckResult::Level::Error, "it leaks", "close the tap"};
                                 if (state == "gone")
                                     throw std::runtime_error("there is no hose");
                                 if (state == "bursts")
                                     std::raise(SIGSEGV);
                                 while (state == "hangs")
                                     std::this_thread::sleep_for(std::chrono::hours(1));
                                 return {CheckResult::Level::Good, "tight", ""};
                             }});
        operations.addCheck({"tank", []() -> CheckResult { return {CheckResult::Level::Good, "full", ""}; }});
        operations.addReadiness([this] { return _isThirsty ? std::string("no water") : std::string(); });
    }

    std::string setting(std::string_view name) {
        return _host->database().read([&](SqlSession& session) { return _settings->get(session, name); }).value_or("");
    }

    void countRuns(CommandRun& run) {
        const auto job = *run.text("JOB");
        const auto count = _host->database().read([&](SqlSession& session) {
            Rows& rows = session.query("SELECT COUNT(*) FROM operated_runs WHERE job = ?", {job});
            rows.next();
            return rows.integer(0);
        });
        if (job == "nothing")
            throw CommandError("'nothing' is no job", CommandError::Code::Usage);
        if (count < run.integer("--at-least").value_or(0))
            throw CommandError("only " + std::to_string(count) + " runs of " + job);
        if (run.flag("--plain"))
            run.print("some runs of " + job + " for " + run.actor());
        else
            run.print(CommandTable{"runs",
                                   {{"job", "JOB"}, {"count", "COUNT", CommandTable::Kind::Integer}},
                                   {{job, std::to_string(count)}},
                                   "There are none."});
    }

    Response wake(Request& request) {
        const std::string job(request.pathText("job"));
        return request.transact([&](Transaction& transaction) {
            if (!_jobs->wake(transaction, job))
                throw ApiError::notFound("There is no such job");
            return request.reply();
        });
    }

    Response setSetting(Request& request) {
        Details details;
        const auto value = ObjectReader(request.body(), details).text("value", {.required = true});
        details.throwIfAny();
        const std::string name(request.pathText("name"));
        _isThirsty = name == "thirst" && *value.value == "yes";
        return request.transact([&](Transaction& transaction) {
            _settings->set(transaction, name, *value.value);
            return request.reply();
        });
    }

    Response listBeds(Request& request) {
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("beds").beginArray();
        for (const auto& bed : _beds)
            json.value(bed);
        json.endArray().endObject();
        return response;
    }

    Response readSettings(Request& request) {
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject();
        for (const auto& [name, value] :
             _host->database().read([&](SqlSession& session) { return _settings->all(session); }))
            json.field(name, value);
        json.endObject();
        return response;
    }

    Response writeFile(Request& request) {
        const auto file = _folder->path() / "picked.txt";
        std::ofstream(file) << "tulips";
        Response response = request.reply();
        JsonWriter(response.data).beginObject().field("file", file.string()).endObject();
        return response;
    }

    Host* _host = nullptr;
    Jobs* _jobs = nullptr;
    PluginSettings* _settings = nullptr;
    StateFolder* _folder = nullptr;
    bool _failsToStart = false;
    std::vector<std::string> _beds;
    std::atomic<bool> _isThirsty{false};
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::OperatedPlugin)
