#include "host/config/SettingsLoader.h"
#include "host/config/TomlReader.h"
#include "host/ctl/plugin/NeededPlugins.h"
#include "host/ctl/plugin/PluginExamination.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/FindingReport.h"
#include "host/plugins/PluginLook.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

namespace supplierd::host {
namespace {

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
            lookAtPlugin(plugin.path);
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
    const bool isGood = isHealthy(verdict.findings);
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.field("ok", isGood).key("plugin");
            if (const auto& note = verdict.note) {
                json.beginObject().field("id", note->id).field("version", note->version);
                json.field("sdk_abi", fmt::format("{}.{}", note->abiMajor, note->abiMinor));
                json.field("file", wanted.file).endObject();
            } else {
                json.null();
            }
            writeFindings(json.key("findings"), verdict.findings);
        });
    } else {
        printFindings(context.out(), verdict.findings);
        context.out() << fmt::format("{}: {}\n", wanted.file, isGood ? "good" : "not good");
    }
    if (!isGood)
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
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

} // namespace supplierd::host
