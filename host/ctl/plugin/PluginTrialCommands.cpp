#include "host/config/SettingsLoader.h"
#include "host/config/TomlReader.h"
#include "host/ctl/plugin/PluginExamination.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginInspection.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

/// Where the installed plugins are: beside the programs of a build, else as the configuration says, or the package's
/// folder for somebody who may not read the configuration, as an author of plugins.
fs::path installedPluginFolder(const ControlContext& context) {
    const auto beside = fs::canonical("/proc/self/exe").parent_path().parent_path() / "plugins";
    if (fs::is_directory(beside))
        return beside;
    Diagnostics ignored; // an author's machine needs no configuration
    return loadSettings(context.configFile, ignored).server.pluginDir;
}

struct Validation {
    std::string file;
    std::vector<std::string> values;
    std::vector<std::string> writable;
    int seconds = 10;
};

/// "fetch.timeout=\"5s\"" goes into the table `fetch`.
void setValue(ConfigTable& table, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos || key.empty())
        throw CommandFailure("--set takes KEY=VALUE, not '" + text + "'", ExitCode::Usage);
    const auto value = readTomlValue(text.substr(equals + 1));
    if (!value)
        throw CommandFailure(
            fmt::format("--set {0}: what is behind = must stand as in the file: 20, true, or a text in "
                        "quotes: '{0}=\"text\"'",
                        key),
            ExitCode::Usage);
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) {
        table.entries[key] = {{"--set"}, *value};
        return;
    }
    ConfigEntry& entry = table.entries[key.substr(0, dot)];
    if (!std::holds_alternative<ConfigTable>(entry.value.data))
        entry = {{"--set"}, {ConfigTable(), {"--set"}}};
    setValue(std::get<ConfigTable>(entry.value.data), text.substr(dot + 1));
}

/// Those that can be loaded: it is looked at beside them, in one process. `damaged`: the ids of the others.
std::vector<PluginListing> installedPlugins(const ServerSettings& server, std::vector<std::string>& damaged) {
    std::vector<PluginListing> plugins = pluginSymlinks(server).list();
    std::erase_if(plugins, [&](const PluginListing& plugin) {
        try {
            inspectPluginApart(plugin.path);
            return false;
        } catch (const PluginFileError&) {
            damaged.push_back(plugin.id);
            return true;
        }
    });
    return plugins;
}

/// What it was compared with, and with what not.
Finding comparison(const PluginSubject& subject, const std::vector<std::string>& damaged, const std::string& unread) {
    const std::string folder = subject.settings.server.pluginDir.string();
    std::string text = subject.others.empty()
                           ? "there is no plugin in " + folder + " to compare it with"
                           : fmt::format("compared with {} plugins of {}", subject.others.size(), folder);
    if (!damaged.empty())
        text += fmt::format("; not with {}, which cannot be loaded", fmt::join(damaged, ", "));
    if (!unread.empty())
        text += fmt::format("; you cannot read {}: values that it has for this plugin were not tried", unread);
    return {Finding::Level::Good, "others", text};
}

PluginSubject subjectOf(const ControlContext& context, const Validation& wanted, Finding& compared) {
    PluginSubject subject;
    std::vector<std::string> damaged;
    std::string unread;
    Diagnostics problems;
    subject.file = wanted.file;
    subject.limit = std::chrono::seconds(wanted.seconds);
    subject.writable.assign(wanted.writable.begin(), wanted.writable.end());
    // An author's machine needs no server; where there is one, its plugins and settings count. Who is not root reads
    // the plugins, which are everybody's, and not the configuration.
    subject.settings = loadSettings(context.configFile, problems);
    if (::access(context.configFile.c_str(), R_OK) == 0) {
        const std::string id = subject.file.stem().string();
        if (const ConfigTable* table = subject.settings.plugins.table(id))
            subject.configuration = *table;
        subject.configuration.entries.erase("optional");
    } else {
        subject.settings.server.pluginDir = installedPluginFolder(context);
        std::error_code hidden; // by a folder that is closed, too
        if (std::filesystem::exists(context.configFile, hidden) || hidden)
            unread = context.configFile;
    }
    if (std::filesystem::is_directory(subject.settings.server.pluginDir))
        subject.others = installedPlugins(subject.settings.server, damaged);
    compared = comparison(subject, damaged, unread);
    for (const auto& value : wanted.values)
        setValue(subject.configuration, value);
    return subject;
}

void validate(ControlContext& context, const Validation& wanted) {
    Finding compared;
    PluginVerdict verdict = examinePlugin(subjectOf(context, wanted, compared));
    if (verdict.note)
        verdict.findings.push_back(compared);
    const bool isGood = verdict.findings.isHealthy();
    ResponseJson answer = {{"ok", isGood}, {"plugin", nullptr}};
    if (const auto& note = verdict.note)
        answer["plugin"] = {
            {"id", note->id}, {"version", note->version}, {"sdk_abi", note->abiText()}, {"file", wanted.file}};
    context.printFindings(verdict.findings, answer);
    if (!context.json)
        context.out() << fmt::format("{}: {}\n", wanted.file, isGood ? "good" : "not good");
    if (!isGood)
        throw ReportedFailure();
}

struct Trial {
    std::string file;
    int port = 0;
    std::vector<std::string> with;
    std::string configuration;
};

/// Where this program was installed, or built.
struct Installation {
    fs::path control;
    fs::path server;
    fs::path script;
    fs::path plugins;
};

Installation findInstallation(ControlContext& context) {
    const auto control = fs::canonical("/proc/self/exe");
    const auto root = control.parent_path().parent_path();
    Installation found{control, control.parent_path() / "supplierd", root / "libexec/supplierd/plugin-run",
                       installedPluginFolder(context)};
    if (!fs::exists(found.server))
        found.server = root / "sbin/supplierd";
    for (const auto& [file, package] : {std::pair<fs::path, const char*>(found.server, "supplierd"),
                                        std::pair<fs::path, const char*>(found.script, "supplierd-plugin-dev")})
        if (!fs::exists(file))
            throw CommandFailure(fmt::format("there is no {}; run: apt-get install {}", file.string(), package));
    return found;
}

/// The plugin, and what it and those need, each once; and the one by which suppliers and keys are made.
std::vector<std::string> collectFiles(const Trial& trial, const fs::path& folder) {
    const auto facts = inspectPluginApart(trial.file);
    std::vector<std::string> wanted = trial.with;
    wanted.insert(wanted.end(), facts.needs.begin(), facts.needs.end());
    wanted.emplace_back("platform");
    const auto needed = NeededPlugins::find(wanted, folder, inspectPluginApart);
    if (!needed.missing.empty())
        throw CommandFailure(fmt::format("'{}' is needed, and no plugin in {} is or offers that",
                                         needed.missing.front(), folder.string()));
    std::vector<std::string> files = {fs::absolute(trial.file).string()};
    for (const auto& file : needed.files)
        if (file.stem() != facts.id)
            files.push_back(file.string());
    return files;
}

void runTrial(ControlContext& context, const Trial& trial) {
    const auto note = readPluginNote(trial.file);
    const auto installation = findInstallation(context);
    std::vector<std::string> arguments = {installation.script,
                                          installation.control,
                                          installation.server,
                                          installation.plugins,
                                          std::to_string(trial.port),
                                          trial.configuration,
                                          note.id};
    for (auto& file : collectFiles(trial, installation.plugins))
        arguments.push_back(std::move(file));
    std::vector<char*> pointers;
    for (auto& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    context.out() << std::flush;
    ::execv(pointers.front(), pointers.data());
    throw CommandFailure(fmt::format("cannot run {}: {}", installation.script.string(), std::strerror(errno)));
}

} // namespace

void addPluginValidateCommand(CLI::App& plugin, ControlContext& context) {
    auto wanted = std::make_shared<Validation>();
    auto* command = plugin.add_subcommand("validate", "Check a built plugin and say what to mend");
    command->alias("check");
    command->add_option("FILE", wanted->file, "The shared library")->required();
    command->add_option("--set", wanted->values, "A value of its configuration, written as in the file; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_option("--writable", wanted->writable, "A folder that it may write to; repeatable")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory)
        ->allow_extra_args(false);
    command->add_option("--time-limit", wanted->seconds, "Seconds that each step of its life may take")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    command->footer(
        "Looks at its note, symbols and libraries; then, in a process of its own and beside the plugins that\n"
        "are installed here, at its routes, configuration, migrations, services and OpenAPI document; and\n"
        "takes it from start to stop with an empty database, behind the plugins that it needs. Nothing here is "
        "changed: what the plugin writes\n"
        "anywhere but in a temporary folder of its own ($TMPDIR) or in --writable is refused.\n"
        "Exit code 1 when something is wrong; warnings alone are 0.");
    command->callback([&context, wanted] { validate(context, *wanted); });
}

void addPluginRunCommand(CLI::App& plugin, ControlContext& context) {
    auto trial = std::make_shared<Trial>();
    auto* command = plugin.add_subcommand("run", "Try a built plugin in a server of its own, until Ctrl-C");
    command->add_option("FILE", trial->file, "The shared library")->required();
    command->add_option("--port", trial->port, "Of the API; 0: a free one")
        ->check(CLI::Range(0, 65'535))
        ->capture_default_str();
    command->add_option("--with", trial->with, "Another installed plugin to serve beside it; repeatable")
        ->type_name("ID")
        ->allow_extra_args(false);
    command->add_option("--toml", trial->configuration, "More of the configuration, as in the file: '[plugins.notes]'")
        ->type_name("TEXT");
    command->footer(
        "Needs no root and no configuration: a private MariaDB (mariadbd of the PATH) and the server run as you,\n"
        "in a temporary folder, with the plugin and those that it needs. Prints the URL, a supplier's key and an\n"
        "operator's; the server's log follows. Ctrl-C ends it, and nothing stays.");
    command->callback([&context, trial] {
        try {
            runTrial(context, *trial);
        } catch (const PluginFileError& error) {
            throw CommandFailure(error.what());
        }
    });
}

} // namespace supplierd::host
