#include "host/config/SettingsLoader.h"
#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/FindingReport.h"
#include "host/observe/CurrentReason.h"
#include "host/plugins/IsolatedRun.h"
#include "host/plugins/PluginLook.h"
#include "host/plugins/PluginOperations.h"
#include "host/server/ConfigurationCheck.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

namespace supplierd::host {
namespace {

constexpr const char* PLUGIN_FIX = "as the message says, or `supplierctl plugin disable ID`";
constexpr std::string_view STARTING_PLUGINS = "starting the plugins";
constexpr std::string_view STOPPING_PLUGINS = "stopping the plugins";
constexpr std::chrono::seconds STARTING_LIMIT{30};

const char* fixOf(const Diagnostic& problem) {
    if (problem.about == ConfigurationCheck::PLUGINS)
        return PLUGIN_FIX;
    if (problem.about == ConfigurationCheck::CERTIFICATE)
        return "give server.tls_certificate and server.tls_key a pair that belongs together and that the server's user "
               "can read";
    return "correct it there; `supplierctl config check` shows what is left";
}

/// What clients see of it.
Finding describeCertificate(const TlsCertificate& certificate) {
    const auto now = std::time(nullptr);
    const auto problem = certificate.expiryProblem(now);
    if (problem.empty())
        return {Finding::Level::Good, ConfigurationCheck::CERTIFICATE,
                "of " + certificate.names + ", valid until " + certificate.expiry()};
    return {certificate.hasExpired(now) ? Finding::Level::Error : Finding::Level::Warning,
            ConfigurationCheck::CERTIFICATE, problem,
            "renew it, and find out why that was not done by itself; the server takes the new files up without a "
            "restart"};
}

void addProblems(const ConfigurationCheck& check, Findings& findings) {
    for (const auto& problem : check.problems)
        if (!check.certificate || problem.about != ConfigurationCheck::CERTIFICATE)
            findings.push_back({problem.warning ? Finding::Level::Warning : Finding::Level::Error, problem.about,
                                problem.toString(), fixOf(problem)});
    if (check.certificate)
        findings.push_back(describeCertificate(*check.certificate));
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

Finding runCheck(const std::string& name, const Check& check) {
    try {
        const auto result = check.run();
        return {levelOf(result.level), name, result.message, result.fix};
    } catch (...) {
        return {Finding::Level::Error, name, "the check failed: " + currentReason(), "as the message says"};
    }
}

/// All but the first so many. The plugins have to start for it: one that does not would not in the server either.
void runChecksFrom(std::size_t first, ControlContext& context, FindingWriter& writer) {
    writer.enter(STARTING_PLUGINS);
    try {
        const auto checks = context.operations("").checks();
        for (std::size_t i = first; i < checks.size(); ++i) {
            const std::string name = checks[i].first + ": " + checks[i].second.name;
            writer.enter(name);
            writer.add(runCheck(name, checks[i].second));
        }
    } catch (const CommandFailure& failure) {
        writer.add({Finding::Level::Error, "plugins", failure.what(), PLUGIN_FIX});
    } catch (const DatabaseError& failure) {
        writer.add({Finding::Level::Warning, "plugins", std::string("not asked: ") + failure.what(),
                    "mend what the other findings say"});
    }
    writer.enter(STOPPING_PLUGINS);
}

/// The checks that plugins bring, in a process of their own: one that hangs or crashes is a finding like any other, and
/// those after it are run in another process.
void runPluginChecks(const ControlContext& context, std::chrono::seconds limit, Findings& findings) {
    const auto limitOf = [&](std::string_view stage) {
        return stage == STARTING_PLUGINS || stage == STOPPING_PLUGINS ? std::max(limit, STARTING_LIMIT) : limit;
    };
    for (std::size_t done = 0;; ++done) {
        const auto outcome = runIsolated(
            [&](FindingWriter& writer) {
                ControlContext own(context.out(), context.err()); // with a session of its own
                own.configFile = context.configFile;
                own.limitWaiting();
                runChecksFrom(done, own, writer);
            },
            limitOf);
        findings.insert(findings.end(), outcome.findings.begin(), outcome.findings.end());
        done += outcome.findings.size();
        if (outcome.end == IsolatedOutcome::End::Finished)
            return;
        const bool isCheck = outcome.stage != STARTING_PLUGINS && outcome.stage != STOPPING_PLUGINS;
        const std::string what = isCheck ? "the check did not end: " : outcome.stage + ": ";
        findings.push_back({Finding::Level::Error, isCheck ? outcome.stage : "plugins", what + describeEnd(outcome),
                            isCheck ? "see what it looks at, or tell the plugin's author" : PLUGIN_FIX});
        if (!isCheck)
            return;
    }
}

Findings examine(ControlContext& context, std::chrono::seconds checkLimit) {
    Findings findings;
    const auto check = checkConfiguration({context.configFile}, accountToCheckAs(context.configFile));
    addProblems(check, findings);
    Diagnostics problems;
    loadSettings(context.configFile, problems);
    if (problems.hasErrors())
        return findings; // the rest would examine defaults
    findings.push_back({Finding::Level::Good, "configuration", context.configFile});
    context.limitWaiting();
    const auto& settings = context.settings();
    const auto seen = findServer(settings);
    const auto user = ServerUser::find(settings, seen);
    checkFiles(settings, findings);

    Diagnostics pluginProblems; // which the check has found
    const auto plugins = loadPlugins(settings, pluginProblems);
    if (!pluginProblems.hasErrors())
        addPlugins(plugins, findings);
    checkIdlePlugins(settings, findings);
    checkMediaRoot(settings, plugins, user, findings);
    const bool isUsable = checkDatabase(settings, plugins, findings);
    checkRedis(settings, findings);
    if (isUsable)
        checkServers(context, findings);
    if (isUsable && !pluginProblems.hasErrors())
        examineTotals(context, findings);
    if (isUsable && !pluginProblems.hasErrors())
        runPluginChecks(context, checkLimit, findings);
    checkServer(settings, seen, findings);
    return findings;
}

void runDoctor(ControlContext& context, std::chrono::seconds checkLimit) {
    context.requireReadableConfiguration();
    const auto findings = examine(context, checkLimit);
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
    auto seconds = std::make_shared<int>(10);
    doctor->add_option("--time-limit", *seconds, "Seconds that each check of a plugin's own may take")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    doctor->callback([&context, seconds] { runDoctor(context, std::chrono::seconds(*seconds)); });
}

} // namespace supplierd::host
