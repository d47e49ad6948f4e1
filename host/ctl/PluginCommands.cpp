#include "host/ctl/CommandFailure.h"
#include "host/ctl/Commands.h"
#include "host/ctl/ControlContext.h"
#include "host/plugins/PluginSymlinks.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

PluginSymlinks openSymlinks(ControlContext& context) {
    const auto& server = context.settings().server;
    return {server.pluginDir, server.pluginsEnabled};
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
            context.hints() << note << "\n";
    }
    context.printListing("plugins", listing, "");
}

void checkPlugin(ControlContext& context, const std::string& file) {
    const auto note = PluginSymlinks::check(file);
    Listing listing({{"id", "ID"}, {"version", "VERSION"}, {"sdk_abi", "SDK ABI"}, {"file", "FILE"}});
    listing.add({note.id, note.version, abiText(note), file});
    context.printOne(
        "plugin", listing,
        fmt::format("{}: plugin '{}' {}, SDK ABI {}, can be loaded", file, note.id, note.version, abiText(note)));
}

} // namespace

void addPluginCommands(CLI::App& program, ControlContext& context) {
    auto* plugin = program.add_subcommand("plugin", "Plugins: which there are, which are enabled");
    plugin->require_subcommand(1);
    plugin->add_subcommand("list", "List the installed plugins and what is wrong with them")->callback([&context] {
        listPlugins(context);
    });

    for (const bool enable : {true, false}) {
        auto ids = std::make_shared<std::vector<std::string>>();
        auto* command = plugin->add_subcommand(enable ? "enable" : "disable",
                                               enable ? "Have the server load plugins from its next start on"
                                                      : "Have the server leave plugins out from its next start on");
        command->add_option("ID", *ids, "Ids of plugins, as `plugin list` shows them")->required();
        command->callback([&context, ids, enable] { changePlugins(context, *ids, enable); });
    }

    auto file = std::make_shared<std::string>();
    auto* check = plugin->add_subcommand("check", "Say whether a plugin file can be loaded by this server");
    check->add_option("FILE", *file, "The shared library")->required();
    check->callback([&context, file] { checkPlugin(context, *file); });
}

} // namespace supplierd::host
