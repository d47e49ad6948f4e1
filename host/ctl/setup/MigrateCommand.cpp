#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/db/schema/Migrator.h"
#include "host/plugins/PluginLook.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace supplierd::host {
namespace {

Listing describeSteps(const std::vector<MigrationStep>& steps) {
    Listing listing({{"component", "COMPONENT"},
                     {"number", "NUMBER", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"statements_done", "DONE", Listing::Kind::Integer},
                     {"statements_total", "STATEMENTS", Listing::Kind::Integer}});
    for (const auto& step : steps)
        listing.add({step.component, std::to_string(step.number), step.name, std::to_string(step.statementsDone),
                     std::to_string(step.statementsTotal)});
    return listing;
}

std::vector<MigrationSet> pluginMigrations(const Settings& settings) {
    Diagnostics problems;
    const auto plugins = loadPlugins(settings, problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
    return plugins.migrations();
}

void apply(Migrator& migrator, MigrationScope scope, ControlContext& context) {
    std::vector<MigrationStep> applied;
    const auto progress = [&](const MigrationStep& step) {
        if (step.statementsDone < step.statementsTotal)
            return;
        applied.push_back(step);
        context.err() << fmt::format("applied {} {:04} {}\n", step.component, step.number, step.name) << std::flush;
    };
    const auto notice = [&](const std::string& line) { context.err() << line << "\n" << std::flush; };
    migrator.apply(progress, notice, scope);
    context.printListing("applied", describeSteps(applied), "The schema is up to date; nothing was changed.");
}

void runMigrate(ControlContext& context, bool planOnly, MigrationScope scope) {
    const auto& settings = context.settings();
    Migrator migrator(settings.database.session, pluginMigrations(settings));
    if (!planOnly) {
        apply(migrator, scope, context);
        return;
    }
    // A database from a newer release is told before a plan that is merely empty.
    const auto status = migrator.check();
    if (status.state == SchemaState::Ahead)
        throw CommandFailure(status.message);
    for (const auto& plugin : status.unfit)
        if (plugin.reason != UnfitPlugin::Reason::Behind) // the plan says so
            context.err() << plugin.message << "\n";
    context.printListing("plan", describeSteps(migrator.plan(scope)),
                         "The schema is up to date; there is nothing to do.");
}

} // namespace

void addMigrateCommand(CLI::App& program, ControlContext& context) {
    auto* migrate = program.add_subcommand("migrate", "Bring the database's schema up to date");
    migrate->footer("Applies the migrations of the server and of the enabled plugins that the database lacks. Safe to\n"
                    "repeat: an interrupted run goes on where it stopped, and only one runs at a time. A statement of\n"
                    "an interrupted run that the database still executes is waited for. A plugin that is older than\n"
                    "its tables is passed over, and named.\n\n"
                    "Servers of the release before go on beside it: what takes away something that they use is left,\n"
                    "and named, until --contract says that none of them runs any more.");
    struct Options {
        bool planOnly = false;
        bool contract = false;
    };
    auto options = std::make_shared<Options>();
    migrate->add_flag("--plan", options->planOnly, "Only print what would be applied");
    migrate->add_flag("--contract", options->contract,
                      "Also take away what only the release before uses: none of its servers may run any more");
    migrate->callback([&context, options] {
        runMigrate(context, options->planOnly, options->contract ? MigrationScope::Contract : MigrationScope::Expand);
    });
}

} // namespace supplierd::host
