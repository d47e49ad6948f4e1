// A plugin for tests: uses everything that the SDK has for running and operating one.
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/StateFolder.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr const char* OPENAPI = R"({
"openapi": "3.1.0",
"servers": [{"url": "/api/v1/platform"}],
"paths": {
  "/operated/runs/{job}": {"get": {
    "summary": "Count the runs of a job",
    "x-command": {"name": "operated runs", "columns": [["job", "JOB"], ["count", "COUNT"]], "good": "are_enough",
                  "examples": ["often"]},
    "parameters": [{"name": "at_least", "in": "query", "description": "Fail when there are fewer",
                    "schema": {"type": "integer", "minimum": 1}}]}},
  "/operated/weight": {"get": {
    "summary": "Say what products weigh",
    "x-command": {"name": "product weigh", "arguments": ["factor"], "done": "{weight} kg", "examples": ["6"]},
    "parameters": [{"name": "factor", "in": "query", "required": true, "description": "By which",
                    "schema": {"type": "integer"}}]}}}})";

constexpr std::string_view NOTE_RUN = "INSERT INTO operated_runs (job, ran_at) VALUES (?, NOW(6))";

/// Until it is asked to end.
void waitForStop(JobRun& run) {
    while (!run.stopSignal().waitFor(std::chrono::hours(1))) {
    }
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
                         [this](Request& request) { return writeFile(request); }},
                        {Method::Get, "/operated/runs/{job}", Audience::Operator, "", Body::None, countRuns},
                        {Method::Get, "/operated/weight", Audience::Operator, "", Body::None, weigh}};
        about.openapi = OPENAPI;
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
        const auto fails = [](JobRun&) { throw std::runtime_error("no water"); };
        _jobs->add({"failing", std::chrono::hours(1), fails});
        _jobs->add({"broken", {}, fails});
        _jobs->add({"asked", {}, fails, "operated ask --for WATER"});
        _jobs->add({"endless", {}, [](JobRun& run) { waitForStop(run); }});
    }

    void addOperations(Operations& operations) {
        operations.addAuditKind("operated");
        operations.addCheck({"hose", [this]() -> CheckResult {
                                 const auto state = setting("hose");
                                 if (state == "leaks")
                                     return {CheckResult::Level::Error, "it leaks", "close the tap"};
                                 if (state == "gone")
                                     throw std::runtime_error("there is no hose");
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

    static Response countRuns(Request& request) {
        Details details;
        const auto atLeast = QueryReader(request.query(), details).integer("at_least", 1).value_or(0);
        details.throwIfAny();
        const std::string job(request.pathText("job"));
        if (job == "nothing")
            throw ApiError::notFound("'nothing' is no job");
        const auto count = request.database().read([&](SqlSession& session) {
            Rows& rows = session.query("SELECT COUNT(*) FROM operated_runs WHERE job = ?", {job});
            rows.next();
            return rows.integer(0);
        });
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().field("are_enough", count >= atLeast).key("runs").beginArray();
        json.beginObject().field("job", job).field("count", count).endObject().endArray().endObject();
        return response;
    }

    static Response weigh(Request& request) {
        Details details;
        const auto factor = QueryReader(request.query(), details).integer("factor", 0).value_or(0);
        details.throwIfAny();
        Response response = request.reply();
        JsonWriter(response.data).beginObject().field("weight", 7 * factor).endObject();
        return response;
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
        const auto file = std::filesystem::path(_folder->path()) / "picked.txt";
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
