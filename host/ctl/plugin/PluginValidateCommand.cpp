#include "host/config/SettingsLoader.h"
#include "host/config/TomlReader.h"
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

/// Those that can be loaded: it is looked at beside them, in one process.
std::vector<PluginListing> installedPlugins(const ServerSettings& server) {
    std::vector<PluginListing> plugins = pluginSymlinks(server).list();
    std::erase_if(plugins, [](const PluginListing& plugin) {
        try {
            lookAtPlugin(plugin.path);
            return false;
        } catch (const PluginFileError&) {
            return true;
        }
    });
    return plugins;
}

PluginSubject subjectOf(const ControlContext& context, const Validation& wanted) {
    PluginSubject subject;
    subject.file = wanted.file;
    subject.limit = std::chrono::seconds(wanted.seconds);
    subject.writable.assign(wanted.writable.begin(), wanted.writable.end());
    // An author's machine needs no server; where there is one, its plugins and settings count.
    if (::access(context.configFile.c_str(), R_OK) == 0) {
        Diagnostics problems;
        const Settings settings = loadSettings(context.configFile, problems);
        const std::string id = subject.file.stem().string();
        if (const ConfigTable* table = settings.plugins.table(id))
            subject.configuration = *table;
        subject.configuration.entries.erase("optional");
        if (!problems.hasErrors() && std::filesystem::is_directory(settings.server.pluginDir))
            subject.others = installedPlugins(settings.server);
    }
    for (const auto& value : wanted.values)
        setValue(subject.configuration, value);
    return subject;
}

void validate(ControlContext& context, const Validation& wanted) {
    const PluginVerdict verdict = examinePlugin(subjectOf(context, wanted));
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
        "takes it from start to stop with an empty database. Nothing here is changed: what the plugin writes\n"
        "anywhere but in a temporary folder of its own ($TMPDIR) or in --writable is refused.\n"
        "Exit code 1 when something is wrong; warnings alone are 0.");
    command->callback([&context, wanted] { validate(context, *wanted); });
}

} // namespace supplierd::host
