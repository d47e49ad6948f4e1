#include "host/server/OperatorRoutes.h"

#include "host/config/ConfigUnits.h"
#include "host/config/NearestName.h"
#include "host/plugins/Finding.h"
#include "host/plugins/PluginDescriptionCheck.h"

#include <supplierd/JsonWriter.h>

#include <optional>
#include <string>
#include <utility>

namespace supplierd::host {

namespace {

std::optional<std::string_view> textOrNothing(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

void writeJob(JsonWriter& json, const JobState& job) {
    json.beginObject().field("plugin", job.key.plugin).field("name", job.key.name).field("run", job.run);
    json.field("state", job.state);
    json.field("every_ms", std::int64_t{job.every.count()});
    json.field("every", job.every.count() == 0 ? "when woken" : formatDuration(job.every));
    json.field("next_at", job.nextAt).field("started_at", job.startedAt).field("ended_at", job.endedAt);
    json.field("running_on", textOrNothing(job.runsOn)).field("runs", job.runs).field("failures", job.failures);
    json.field("result", textOrNothing(job.result)).field("message", textOrNothing(job.report.message));
    json.field("requested_by", textOrNothing(job.requestedBy)).key("progress");
    if (const auto& progress = job.report.progress)
        json.beginObject()
            .field("done", progress->done)
            .field("total", progress->total)
            .field("what", progress->what)
            .endObject();
    else
        json.null();
    json.key("output");
    if (job.report.output.empty())
        json.null();
    else
        json.raw(job.report.output);
    json.endObject();
}

Response jobResponse(Response response, const JobState& job) {
    JsonWriter json(response.data);
    json.beginObject().key("job");
    writeJob(json, job);
    json.endObject();
    return response;
}

JobState requireJob(SqlSession& session, const JobKey& key) {
    if (auto found = JobStore::find(session, key))
        return *std::move(found);
    std::vector<std::string> names;
    for (const auto& job : JobStore::list(session))
        names.push_back(job.key.plugin + " " + job.key.name);
    throw ApiError::notFound("There is no job '" + key.name + "' of a plugin '" + key.plugin + "'" +
                             suggestion(key.plugin + " " + key.name, names));
}

JobKey keyOf(const Request& request) {
    return {std::string(request.pathText("plugin")), std::string(request.pathText("name"))};
}

std::string fieldsOf(const JobKey& key) {
    std::string text;
    JsonWriter(text).beginObject().field("plugin", key.plugin).field("name", key.name).endObject();
    return text;
}

} // namespace

std::vector<Route> OperatorRoutes::routes() const {
    const auto route = [](Method method, std::string pattern, Handler handler) {
        return Route{method, std::move(pattern), Audience::Operator, {}, Body::None, std::move(handler)};
    };
    const auto job = std::string(JOBS_PATTERN) + "/{plugin}/{name}";
    return {route(Method::Get, std::string(CHECKS_PATTERN), [this](Request& request) { return runChecks(request); }),
            route(Method::Get, std::string(JOBS_PATTERN), listJobs), route(Method::Get, job, showJob),
            route(Method::Post, job + "/run", [this](Request& request) { return runJob(request); }),
            route(Method::Post, job + "/stop", [this](Request& request) { return stopJob(request); })};
}

Response OperatorRoutes::runChecks(Request& request) const {
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("checks").beginArray();
    for (const auto& [plugin, name, result] : _dependencies.checks.run()) {
        json.beginObject().field("plugin", plugin).field("name", name).field("level", nameOf(result.level));
        json.field("message", result.message).field("fix", result.fix).endObject();
    }
    json.endArray().endObject();
    return response;
}

Response OperatorRoutes::listJobs(Request& request) {
    const auto jobs = request.database().read([](SqlSession& session) { return JobStore::list(session); });
    Response response = request.reply();
    JsonWriter json(response.data);
    json.beginObject().key("jobs").beginArray();
    for (const auto& job : jobs)
        writeJob(json, job);
    json.endArray().endObject();
    return response;
}

Response OperatorRoutes::showJob(Request& request) {
    return jobResponse(request.reply(), request.database().read(
                                            [&](SqlSession& session) { return requireJob(session, keyOf(request)); }));
}

Response OperatorRoutes::runJob(Request& request) const {
    const auto key = keyOf(request);
    const auto actor = actorOf(request);
    if (const auto command = _dependencies.commandOfJob(key); !command.empty())
        throw ApiError::conflict("The job '" + key.name + "' of '" + key.plugin +
                                 "' wants an input; use: supplierctl " + command);
    return request.transact([&](Transaction& transaction) {
        const auto run = JobStore::request(transaction, key, {"{}", actor.name});
        recordJob(transaction, actor, "run", key);
        _dependencies.wokeJob();
        auto job = requireJob(transaction, key); // or 404: nothing was asked for, then
        job.run = run.value();
        return jobResponse(request.reply(202), job);
    });
}

Response OperatorRoutes::stopJob(Request& request) const {
    const auto key = keyOf(request);
    const auto actor = actorOf(request);
    return request.transact([&](Transaction& transaction) {
        const auto job = requireJob(transaction, key);
        if (job.state != "running")
            throw ApiError::conflict("The job '" + key.name + "' of '" + key.plugin + "' does not run");
        JobStore::stop(transaction, key, actor.name);
        recordJob(transaction, actor, "stop", key);
        return jobResponse(request.reply(202), job);
    });
}

void OperatorRoutes::recordJob(Transaction& transaction, const Actor& actor, std::string_view action,
                               const JobKey& key) const {
    auto entry = auditEntry(actor, "job", action, 0, std::nullopt);
    entry.after = fieldsOf(key);
    _dependencies.audit.record(transaction, entry);
}

} // namespace supplierd::host
