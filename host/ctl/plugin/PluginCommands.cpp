#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginLook.h"
#include "host/server/ConfigurationCheck.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

PluginSymlinks openSymlinks(ControlContext& context) {
    return pluginSymlinks(context.settings().server);
}

std::string abiText(const PluginNoteInfo& note) {
    return fmt::format("{}.{}", note.abiMajor, note.abiMinor);
}

void listPlugins(ControlContext& context) {
    Listing listing({{"id", "ID"},
                     {"version", "VERSION"},
                     {"sdk_abi", "SDK ABI"},
                     {"enabled", "ENABLED", Listing::Kind::Boolean},
                     {"file", "FILE"},
                     {"problem", "PROBLEM"}});
    for (const auto& plugin : openSymlinks(context).list())
        listing.add({plugin.id, plugin.note ? std::optional(plugin.note->version) : std::nullopt,
                     plugin.note ? std::optional(abiText(*plugin.note)) : std::nullopt,
                     plugin.enabled ? "true" : "false", plugin.path.string(),
                     plugin.problem.empty() ? std::nullopt : std::optional(plugin.problem)});
    context.printListing("plugins", listing, "There are no plugins in " + context.settings().server.pluginDir.string());
}

void changePlugins(ControlContext& context, const std::vector<std::string>& ids, bool enable) {
    auto symlinks = openSymlinks(context);
    Listing listing(
        {{"id", "ID"}, {"enabled", "ENABLED", Listing::Kind::Boolean}, {"changed", "CHANGED", Listing::Kind::Boolean}});
    for (const auto& id : ids) {
        const auto change = enable ? symlinks.enable(id) : symlinks.disable(id);
        listing.add({id, enable ? "true" : "false", change.changed ? "true" : "false"});
        for (const auto& note : change.notes)
            context.err() << note << "\n";
    }
    context.printListing("plugins", listing, "");
}

/// Before the first is disabled: half of them would be a server that does not start.
void refuseNeeded(ControlContext& context, const std::vector<std::string>& ids, bool force) {
    const auto needing = openSymlinks(context).enabledThatNeed(ids);
    if (needing.empty())
        return;
    const auto all = fmt::format("{} {}", fmt::join(needing, " "), fmt::join(ids, " "));
    if (!force)
        throw CommandFailure(fmt::format("nothing was disabled: needed by the enabled {} {}; run: supplierctl plugin "
                                         "disable {}, or use --force",
                                         needing.size() == 1 ? "plugin" : "plugins", fmt::join(needing, ", "), all));
    context.err() << fmt::format("{} still need{} it: the server does not start until they are disabled too\n",
                                 fmt::join(needing, ", "), needing.size() == 1 ? "s" : "");
}

/// With them enabled, as the server would find it. Before anything is changed: a restart would find no way back.
void refuseWhatDoesNotStart(ControlContext& context, const std::vector<std::string>& ids) {
    const ScratchFolder scratch(std::filesystem::temp_directory_path());
    const auto folder = scratch.path() / "plugins-enabled";
    std::filesystem::create_directory(folder);
    for (const auto& readable : {scratch.path(), folder})
        std::filesystem::permissions(readable, std::filesystem::perms{0755});
    openSymlinks(context).rehearse(ids, folder);
    const auto check = checkConfiguration({.file = context.configFile, .pluginsEnabled = folder},
                                          accountToCheckAs(context.configFile));
    if (!check.problems.hasErrors())
        return;
    std::string reasons;
    for (const auto& problem : check.problems)
        if (!problem.warning)
            reasons += problem.toString() + "\n";
    throw CommandFailure(fmt::format("nothing was enabled, since a server would not start with it (--force enables it "
                                     "all the same):\n{}",
                                     reasons));
}

} // namespace

void addPluginCommands(CLI::App& program, ControlContext& context) {
    auto* plugin =
        program.add_subcommand("plugin", "Plugins: which there are, which are enabled, their data; new ones");
    plugin->require_subcommand(1);
    plugin->add_subcommand("list", "List the installed plugins and what is wrong with them")->callback([&context] {
        listPlugins(context);
    });

    auto enabled = std::make_shared<std::vector<std::string>>();
    auto force = std::make_shared<bool>(false);
    auto* enable = plugin->add_subcommand("enable", "Have the server load plugins from its next start or reload on");
    enable->footer(
        "Refuses what a server would not start with, as `config check` finds it. Name plugins that need each "
        "other together.");
    enable->add_option("ID", *enabled, "Ids of plugins, as `plugin list` shows them")->required();
    enable->add_flag("--force", *force, "Even when a server would not start with them");
    enable->callback([&context, enabled, force] {
        if (!*force)
            refuseWhatDoesNotStart(context, *enabled);
        changePlugins(context, *enabled, true);
    });

    auto disabled = std::make_shared<std::vector<std::string>>();
    auto* disable =
        plugin->add_subcommand("disable", "Have the server leave plugins out from its next start or reload on");
    disable->add_option("ID", *disabled, "Ids of plugins, as `plugin list` shows them")->required();
    disable->add_flag("--force", *force, "Even when other enabled plugins need them");
    disable->callback([&context, disabled, force] {
        refuseNeeded(context, *disabled, *force);
        changePlugins(context, *disabled, false);
    });

    addPluginDataCommand(*plugin, context);
    addPluginNewCommand(*plugin, context);
    addPluginRunCommand(*plugin, context);
    addPluginValidateCommand(*plugin, context);
}

} // namespace supplierd::host
