#include "host/config/SettingsLoader.h"
#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/FindingReport.h"
#include "host/observe/CurrentReason.h"
#include "host/plugins/PluginLook.h"
#include "host/plugins/PluginOperations.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <CLI/CLI.hpp>

#include <algorithm>

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
    for (const auto& plugin : pluginSymlinks(settings.server).list())
        if (!plugin.enabled && !plugin.problem.empty())
            findings.push_back({Finding::Level::Warning, "plugins", plugin.problem,
                                "install the plugin's package for this release, or remove the file"});
}

void addPlugins(const PluginSet& plugins, Findings& findings) {
    std::string ids;
    for (const auto& plugin : plugins.plugins())
        ids += (ids.empty() ? "" : ", ") + plugin.id();
    if (ids.empty())
        findings.push_back({Finding::Level::Warning, "plugins", "none is enabled, so the API has no resource",
                            "supplierctl plugin enable categories catalog"});
    else
        findings.push_back({Finding::Level::Good, "plugins", ids});
}

/// What needs plugins that are started: a failure of theirs is a finding like any other.
void examineTotals(ControlContext& context, Findings& findings) {
    const auto cannot = [&](const std::string& reason) {
        findings.push_back({Finding::Level::Warning, "totals", "not compared with the rows: " + reason,
                            "mend what the other findings say, then run `supplierctl totals verify`"});
    };
    try {
        checkTotals(context, findings);
    } catch (const CommandFailure& failure) {
        cannot(failure.what());
    } catch (const DatabaseError& failure) {
        cannot(failure.what());
    } catch (const ApiError& failure) {
        cannot(failure.message());
    }
}

Finding::Level levelOf(CheckResult::Level level) {
    switch (level) {
    case CheckResult::Level::Good:
        return Finding::Level::Good;
    case CheckResult::Level::Warning:
        return Finding::Level::Warning;
    default:
        return Finding::Level::Error;
    }
}

/// The checks that plugins bring. They have to start for it: one that does not would not in the server either.
void runPluginChecks(ControlContext& context, Findings& findings) {
    try {
        for (const auto& [id, check] : context.operations("").checks()) {
            const std::string name = id + ": " + check.name;
            try {
                const auto result = check.run();
                findings.push_back({levelOf(result.level), name, result.message, result.fix});
            } catch (...) {
                findings.push_back(
                    {Finding::Level::Error, name, "the check failed: " + currentReason(), "as the message says"});
            }
        }
    } catch (const CommandFailure& failure) {
        findings.push_back({Finding::Level::Error, "plugins", failure.what(),
                            "as the message says, or `supplierctl plugin disable ID`"});
    } catch (const DatabaseError& failure) {
        findings.push_back({Finding::Level::Warning, "plugins", std::string("not asked: ") + failure.what(),
                            "mend what the other findings say"});
    }
}

Findings examine(ControlContext& context) {
    Findings findings;
    ConfigProblems problems;
    loadSettings(context.configFile, problems);
    addProblems(problems, "configuration", "correct it there; `supplierctl config check` shows what is left", findings);
    if (problems.hasErrors())
        return findings; // the rest would examine defaults
    findings.push_back({Finding::Level::Good, "configuration", context.configFile});
    context.limitWaiting();
    const auto& settings = context.settings();
    const auto seen = findServer(settings);
    const auto user = ServerUser::find(settings, seen);
    checkFiles(settings, user, findings);

    ConfigProblems pluginProblems;
    const auto plugins = loadPlugins(settings, pluginProblems);
    addProblems(pluginProblems, "plugins", "as the message says, or `supplierctl plugin disable ID`", findings);
    if (!pluginProblems.hasErrors())
        addPlugins(plugins, findings);
    checkIdlePlugins(settings, findings);
    checkMediaRoot(settings, plugins, user, findings);
    const bool isUsable = checkDatabase(settings, plugins, findings);
    if (isUsable && !pluginProblems.hasErrors())
        examineTotals(context, findings);
    if (isUsable && !pluginProblems.hasErrors())
        runPluginChecks(context, findings);
    checkServer(settings, seen, findings);
    return findings;
}

void runDoctor(ControlContext& context) {
    context.requireReadableConfiguration();
    const auto findings = examine(context);
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
    doctor->footer("Changes nothing, and ends soon whatever hangs. Run by root, it judges files as the server's user. "
                   "Exit code 1\n"
                   "when something is wrong; warnings alone are 0.");
    doctor->callback([&context] { runDoctor(context); });
}

} // namespace supplierd::host
