#include "host/config/ConfigUnits.h"
#include "host/config/NearestName.h"
#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/jobs/JobStore.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace supplierd::host {
namespace {

constexpr auto LOOK_AGAIN = std::chrono::milliseconds(200);
constexpr std::int64_t LONGEST_WAIT = 86'400;

std::vector<JobState> readJobs(ControlContext& context) {
    return context.database().read([](SqlSession& session) { return JobStore::list(session); });
}

std::optional<std::string> textOrNothing(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

Listing describe(const std::vector<JobState>& jobs) {
    Listing listing({{"plugin", "PLUGIN"},
                     {"name", "JOB"},
                     {"every_ms", "", Listing::Kind::Integer},
                     {"", "EVERY"},
                     {"running_on", "RUNNING ON"},
                     {"next_at", "NEXT"},
                     {"started_at", ""},
                     {"ended_at", "ENDED"},
                     {"result", "RESULT"},
                     {"runs", "RUNS", Listing::Kind::Integer},
                     {"failures", "FAILED IN A ROW", Listing::Kind::Integer},
                     {"message", "MESSAGE"}});
    for (const auto& job : jobs)
        listing.add({job.key.plugin, job.key.name, std::to_string(job.every.count()),
                     job.every.count() == 0 ? "when woken" : formatDuration(job.every), textOrNothing(job.runsOn),
                     job.nextAt, job.startedAt, job.endedAt, textOrNothing(job.result), std::to_string(job.runs),
                     std::to_string(job.failures), textOrNothing(job.message)});
    return listing;
}

struct JobChoice {
    JobKey key;
    std::int64_t wait = 0; ///< seconds
};

JobState requireJob(ControlContext& context, const JobKey& key) {
    std::vector<std::string> names;
    for (const auto& job : readJobs(context)) {
        if (job.key == key)
            return job;
        names.push_back(job.key.plugin + " " + job.key.name);
    }
    throw CommandFailure(fmt::format("there is no job '{}' of a plugin '{}'{}; `supplierctl job list` shows all (a "
                                     "server makes the rows of its plugins' jobs when it starts)",
                                     key.name, key.plugin, suggestion(key.plugin + " " + key.name, names)));
}

void wake(ControlContext& context, const JobKey& key) {
    context.database().withTransaction([&](Transaction& transaction) {
        JobStore::wake(transaction, key);
        context.record(transaction, {.action = "job.run",
                                     .object = "job",
                                     .objectId = 0,
                                     .after = auditFields([&](JsonWriter& json) {
                                         json.field("plugin", key.plugin).field("name", key.name);
                                     })});
    });
}

/// The run that begins after the waking, not one that was under way.
JobState waitForRun(ControlContext& context, const JobState& before, std::int64_t seconds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    const std::int64_t due = before.runs + 1;
    while (true) {
        auto now = requireJob(context, before.key);
        if (now.runs >= due && now.runsOn.empty())
            return now;
        if (std::chrono::steady_clock::now() >= until)
            throw CommandFailure(fmt::format("the job has not ended within {} s; see `supplierctl job list`, and "
                                             "whether a server runs: `supplierctl status`",
                                             seconds));
        std::this_thread::sleep_for(LOOK_AGAIN);
    }
}

void runJob(ControlContext& context, const JobChoice& choice) {
    const auto before = requireJob(context, choice.key);
    wake(context, choice.key);
    if (choice.wait == 0) {
        context.printOne("job", describe({requireJob(context, choice.key)}),
                         "The next server that looks runs it, within seconds if one runs.");
        return;
    }
    const auto after = waitForRun(context, before, choice.wait);
    context.printOne("job", describe({after}),
                     after.result + (after.message.empty() ? std::string() : ": " + after.message));
    if (after.result != "done")
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void addJobCommands(CLI::App& program, ControlContext& context) {
    auto* job = program.add_subcommand("job", "Background work of plugins");
    job->require_subcommand(1);
    auto* list = job->add_subcommand("list", "Every job: when it runs next, how its last run ended");
    list->callback([&context] {
        context.printListing("jobs", describe(readJobs(context)), "There are no jobs: no server has had any.");
    });

    auto choice = std::make_shared<JobChoice>();
    auto* run = job->add_subcommand("run", "Have a server run a job now");
    run->add_option("PLUGIN", choice->key.plugin, "The plugin's id")->required();
    run->add_option("JOB", choice->key.name, "The job's name")->required();
    run->add_option("--wait", choice->wait, "Wait so many seconds for its end; exit code 1 when it failed")
        ->type_name("SECONDS")
        ->check(CLI::Range(std::int64_t{1}, LONGEST_WAIT));
    run->footer("One of the running servers does it. A job that runs already runs once more afterwards.");
    run->callback([&context, choice] { runJob(context, *choice); });
}

} // namespace supplierd::host
