#include "host/config/SettingsLoader.h"
#include "host/ctl/CommandFailure.h"
#include "host/ctl/Commands.h"
#include "host/ctl/ControlContext.h"
#include "host/plugins/PluginSet.h"

#include <CLI/CLI.hpp>

namespace supplierd::host {
namespace {

void printProblems(ControlContext& context, const ConfigProblems& problems, std::size_t plugins) {
    if (!context.json) {
        context.out() << problems.toString();
        if (!problems.empty() && !problems.toString().ends_with('\n'))
            context.out() << "\n";
        if (!problems.hasErrors())
            context.out() << context.configFile << ": good, with " << plugins << " plugins enabled\n";
        return;
    }
    Listing listing({{"file", "FILE"},
                     {"line", "LINE", Listing::Kind::Integer},
                     {"column", "COLUMN", Listing::Kind::Integer},
                     {"severity", "SEVERITY"},
                     {"message", "MESSAGE"}});
    for (const auto& problem : problems)
        listing.add({problem.file.empty() ? std::nullopt : std::optional(problem.file),
                     problem.line == 0 ? std::nullopt : std::optional(std::to_string(problem.line)),
                     problem.column == 0 ? std::nullopt : std::optional(std::to_string(problem.column)),
                     problem.warning ? "warning" : "error", problem.message});
    context.printJson([&](JsonWriter& json) {
        json.field("ok", !problems.hasErrors()).key("problems");
        listing.appendJson(json);
    });
}

void checkConfiguration(ControlContext& context) {
    context.requireReadableConfiguration();
    ConfigProblems problems;
    const auto settings = loadSettings(context.configFile, problems);
    const auto plugins = PluginSet::load(settings, problems);
    printProblems(context, problems, plugins.plugins().size());
    if (problems.hasErrors())
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void addConfigCommands(CLI::App& program, ControlContext& context) {
    auto* config = program.add_subcommand("config", "The configuration file");
    config->require_subcommand(1);
    config->add_subcommand("check", "Report everything that is wrong with the configuration, plugins included")
        ->callback([&context] { checkConfiguration(context); });
}

} // namespace supplierd::host
