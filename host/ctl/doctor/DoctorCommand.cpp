#include "host/config/SettingsLoader.h"
#include "host/ctl/client/ResponsePrinter.h"
#include "host/ctl/doctor/DoctorChecks.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginInspection.h"
#include "host/server/ConfigurationCheck.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>

namespace supplierd::host {
namespace {

constexpr const char* PLUGIN_FIX = "as the message says, or `supplierctl plugin disable ID`";

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
            findings.warn("plugins", plugin.problem,
                          "install the plugin's package for this release, or remove the file");
}

void addPlugins(const PluginSet& plugins, Findings& findings) {
    std::string ids;
    for (const auto& plugin : plugins.plugins())
        ids += (ids.empty() ? "" : ", ") + plugin.id();
    findings.judge(!ids.empty(), Finding::Level::Warning, "plugins", ids, "none is enabled, so the API has no resource",
                   "supplierctl plugin enable categories catalog");
}

/// Those that plugins bring run in the server.
void askForChecks(ControlContext& context, const PluginSet& plugins, std::chrono::seconds limit, Findings& findings) {
    try {
        const auto data = context.connection().data({.path = "/checks", .patience = limit});
        for (const auto& check : data.at("checks")) {
            const auto level = check.at("level").get<std::string>();
            const auto fix = check.at("fix").get<std::string>();
            findings.judge(level == "good", level == "warning" ? Finding::Level::Warning : Finding::Level::Error,
                           textAt(check, "plugin") + ": " + textAt(check, "name"), check.at("message"), "",
                           fix.empty() ? "as the message says" : fix);
        }
    } catch (const CommandFailure& failure) {
        findings.warn("plugin checks",
                      fmt::format("the plugins' checks were left out (enabled plugins: {}): {}",
                                  plugins.plugins().size(), failure.what()),
                      "run `supplierctl doctor` again once the server answers");
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
    findings.good("configuration", context.configFile);
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
        askForChecks(context, plugins, checkLimit, findings);
    checkServer(settings, seen, findings);
    return findings;
}

void runDoctor(ControlContext& context, std::chrono::seconds checkLimit) {
    context.requireReadableConfiguration();
    const auto findings = examine(context, checkLimit);
    context.printFindings(findings, {{"ok", findings.isHealthy()}});
    if (!findings.isHealthy())
        throw ReportedFailure();
}

} // namespace

void addDoctorCommand(CLI::App& program, ControlContext& context) {
    auto* doctor = program.add_subcommand("doctor", "Examine the installation; every finding comes with its fix");
    doctor->footer("Changes nothing, and ends soon whatever hangs. Run by root, it judges files as the server's user. "
                   "Exit code 1\n"
                   "when something is wrong; warnings alone are 0.");
    auto seconds = std::make_shared<int>(10);
    doctor
        ->add_option("--time-limit", *seconds,
                     "Seconds in which the server has to answer with what the plugins' checks found")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    doctor->callback([&context, seconds] { runDoctor(context, std::chrono::seconds(*seconds)); });
}

} // namespace supplierd::host
