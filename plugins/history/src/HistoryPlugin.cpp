#include "Recorder.h"
#include "RequestList.h"
#include "historyAssets.h"
#include "historyDescription.h"

#include <supplierd/Assets.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Dashboard.h>
#include <supplierd/services/Jobs.h>

#include <chrono>
#include <optional>
#include <string>

namespace supplierd::history {

/// The last requests of suppliers' keys, and what became of them.
class HistoryPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        constexpr std::int64_t HOUR = 3'600'000;
        constexpr std::int64_t MEBIBYTE = std::int64_t{1} << 20;
        PluginDescription about = supplierd_history_generated::description();
        about.summary = "What suppliers' programs sent, and what went wrong";
        about.after = {std::string(Dashboard::ID)};
        about.scopes = {{SCOPE, "Read what was sent with this supplier's keys, bodies included"}};
        about.config = {
            {"keep", ConfigType::Duration, "\"7d\"", "How long a request is kept", HOUR, 90 * 24 * HOUR},
            {"max_requests", ConfigType::Integer, "10000", "So many of each supplier", 100, 1'000'000},
            {"max_size", ConfigType::Size, "\"16MiB\"", "So many bytes of each supplier", MEBIBYTE, 1'024 * MEBIBYTE},
            {"max_body", ConfigType::Size, "\"8KiB\"", "So many bytes of a request's body; 0: none", 0, 64 << 10},
            {"errors_per_minute", ConfigType::Integer, "300", "Of each key, on each server; 0: none", 0, MAX_RATE},
            {"writes_per_minute", ConfigType::Integer, "60", "Those that went well; 0: none", 0, MAX_RATE},
            {"reads_per_minute", ConfigType::Integer, "30", "Those that went well; 0: none", 0, MAX_RATE}};
        Route list{Method::Get, "/requests", Audience::Supplier, SCOPE};
        list.handler = [](Request& request) { return HistoryPlugin::list(request); };
        Route read{Method::Get, "/requests/{id:int}", Audience::Supplier, SCOPE};
        read.handler = [](Request& request) { return HistoryPlugin::read(request); };
        about.routes = {list, read, _pages.route("/history/{rest...}")};
        return about;
    }

    void configure(const Config& config) override {
        _settings.limits = {config.duration("keep"), config.integer("max_requests"), config.size("max_size")};
        _settings.rates = {config.integer("errors_per_minute"), config.integer("writes_per_minute"),
                           config.integer("reads_per_minute")};
        _settings.body = static_cast<std::size_t>(config.size("max_body"));
    }

    void start(Host& host) override {
        Database& database = host.database();
        _recorder.emplace(host, _settings);
        host.addObserver(*_recorder, Recorder::options(_settings.body));
        host.require<Jobs>().add(
            {"trim", std::chrono::hours(1), [&database, limits = _settings.limits](JobRun& run) {
                 run.report("removed " + std::to_string(RequestStore::trimAll(database, run, limits)) + " requests");
             }});
        addDashboardPage(host, {.id = "requests",
                                .titles = {{"en", "Requests"}, {"nl", "Verzoeken"}, {"de", "Anfragen"}},
                                .script = "/history/page.js",
                                .scope = SCOPE});
    }

    void ready() override { _recorder->begin(); }
    void drain() override { _recorder->end(); }
    void stop() noexcept override { _recorder.reset(); }

private:
    static constexpr const char* SCOPE = "history:read";
    static constexpr std::int64_t MAX_RATE = 1'000'000;

    static Response list(Request& request) {
        const auto listed = listRequests(request.database(), request.principal().supplierId, request.query());
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject();
        writeList(json, "requests", listed, [](JsonWriter& to, const RequestRecord& record) {
            to.beginObject();
            writeFields(to, record);
            to.endObject();
        });
        json.endObject();
        return response;
    }

    static Response read(Request& request) {
        const auto record = findRequest(request.database(), request.principal().supplierId, request.pathInteger("id"));
        if (!record)
            throw ApiError::notFound("There is no such request, or it is no longer kept");
        std::string origin(request.scheme());
        origin.append("://").append(request.header("Host").value_or(""));
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("request").beginObject();
        writeFields(json, *record);
        writeDetails(json, *record, origin);
        json.endObject().endObject();
        return response;
    }

    Assets _pages{supplierd_history_web::assets()};
    Recorder::Settings _settings;
    std::optional<Recorder> _recorder;
};

} // namespace supplierd::history

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::history::HistoryPlugin)
