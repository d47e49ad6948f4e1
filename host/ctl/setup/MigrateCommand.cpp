#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/db/schema/Migrator.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace supplierd::host {
namespace {

void print(ControlContext& context, const char* name, const std::vector<MigrationStep>& steps, const char* whenEmpty) {
    auto list = ResponseJson::array();
    for (const auto& step : steps)
        list.push_back({{"component", step.component},
                        {"number", step.number},
                        {"name", step.name},
                        {"statements_done", step.statementsDone},
                        {"statements_total", step.statementsTotal}});
    context.print({{name, list}}, {{"columns",
                                    {{"component", "COMPONENT"},
                                     {"number", "NUMBER"},
                                     {"name", "NAME"},
                                     {"statements_done", "DONE"},
                                     {"statements_total", "STATEMENTS"}}},
                                   {"empty", whenEmpty}});
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
    print(context, "applied", applied, "The schema is up to date; nothing was changed.");
}

void runMigrate(ControlContext& context, bool planOnly, MigrationScope scope) {
    const auto& settings = context.settings();
    Migrator migrator(settings.database.session, context.loadedPlugins().migrations());
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
    print(context, "plan", migrator.plan(scope), "The schema is up to date; there is nothing to do.");
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
