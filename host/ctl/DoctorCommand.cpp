#include "host/config/SettingsLoader.h"
#include "host/ctl/CommandFailure.h"
#include "host/ctl/Commands.h"
#include "host/ctl/ControlContext.h"
#include "host/ctl/DoctorChecks.h"
#include "host/ctl/FindingReport.h"
#include "host/plugins/PluginSymlinks.h"

#include <CLI/CLI.hpp>

namespace supplierd::host {
namespace {

void addProblems(const ConfigProblems& problems, const std::string& check, const std::string& fix, Findings& findings) {
    for (const auto& problem : problems)
        findings.push_back(
            {problem.warning ? Finding::Level::Warning : Finding::Level::Error, check, problem.toString(), fix});
}

/// A plugin that is installed, not enabled, and could not be loaded anyway would surprise whoever enables it.
void checkIdlePlugins(const Settings& settings, Findings& findings) {
    if (!std::filesystem::is_directory(settings.server.pluginDir))
        return; // checkFiles() tells
    for (const auto& plugin : PluginSymlinks(settings.server.pluginDir, settings.server.pluginsEnabled).list())
        if (!plugin.enabled && !plugin.problem.empty())
            findings.push_back({Finding::Level::Warning, "plugins", plugin.problem,
                                "install the plugin's package for this release, or remove the file"});
}

Findings examine(const std::string& configFile) {
    Findings findings;
    ConfigProblems problems;
    const auto settings = loadSettings(configFile, problems);
    addProblems(problems, "configuration", "correct it there; `supplierctl config check` shows what is left", findings);
    if (problems.hasErrors())
        return findings; // the rest would examine defaults
    findings.push_back({Finding::Level::Good, "configuration", configFile});
    checkFiles(settings, findings);

    ConfigProblems pluginProblems;
    const auto plugins = PluginSet::load(settings, pluginProblems);
    addProblems(pluginProblems, "plugins", "as the message says, or `supplierctl plugin disable ID`", findings);
    if (!pluginProblems.hasErrors()) {
        std::string ids;
        for (const auto& plugin : plugins.plugins())
            ids += (ids.empty() ? "" : ", ") + plugin.id();
        if (ids.empty())
            findings.push_back({Finding::Level::Warning, "plugins", "none is enabled, so the API has no resource",
                                "supplierctl plugin enable categories catalog"});
        else
            findings.push_back({Finding::Level::Good, "plugins", ids});
    }
    checkIdlePlugins(settings, findings);
    checkDatabase(settings, plugins, findings);
    checkServer(settings, findings);
    return findings;
}

void runDoctor(ControlContext& context) {
    context.requireReadableConfiguration();
    const auto findings = examine(context.configFile);
    const bool healthy = isHealthy(findings);
    if (context.json)
        context.printJson([&](JsonWriter& json) {
            json.field("ok", healthy);
            writeFindings(json.key("findings"), findings);
        });
    else
        printFindings(context.out(), findings);
    if (!healthy)
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void addDoctorCommand(CLI::App& program, ControlContext& context) {
    auto* doctor = program.add_subcommand("doctor", "Examine the installation; every finding comes with its fix");
    doctor->footer("Changes nothing. Exit code 1 when something is wrong; warnings alone are 0.");
    doctor->callback([&context] { runDoctor(context); });
}

} // namespace supplierd::host
