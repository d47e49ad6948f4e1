#include "host/config/NearestName.h"
#include "host/ctl/backup/ChildProgram.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/db/Connector.h"
#include "host/db/schema/SchemaHistory.h"
#include "host/db/schema/SchemaRemoval.h"
#include "host/plugins/PluginInspection.h"
#include "host/plugins/PluginScope.h"
#include "host/server/ConfigurationCheck.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

PluginSymlinks openSymlinks(ControlContext& context) {
    return pluginSymlinks(context.settings().server);
}

void listPlugins(ControlContext& context) {
    auto plugins = ResponseJson::array();
    for (const auto& plugin : openSymlinks(context).list()) {
        const auto& note = plugin.note;
        plugins.push_back({{"id", plugin.id},
                           {"version", note ? ResponseJson(note->version) : ResponseJson()},
                           {"sdk_abi", note ? ResponseJson(note->abiText()) : ResponseJson()},
                           {"enabled", plugin.enabled},
                           {"file", plugin.path.string()},
                           {"problem", plugin.problem.empty() ? ResponseJson() : ResponseJson(plugin.problem)}});
    }
    context.print({{"plugins", plugins}},
                  {{"columns",
                    {{"id", "ID"},
                     {"version", "VERSION"},
                     {"sdk_abi", "SDK ABI"},
                     {"enabled", "ENABLED"},
                     {"file", "FILE"},
                     {"problem", "PROBLEM"}}},
                   {"empty", "There are no plugins in " + context.settings().server.pluginDir.string()}});
}

void changePlugins(ControlContext& context, const std::vector<std::string>& ids, bool enable) {
    auto symlinks = openSymlinks(context);
    auto plugins = ResponseJson::array();
    for (const auto& id : ids) {
        const auto change = enable ? symlinks.enable(id) : symlinks.disable(id);
        plugins.push_back({{"id", id}, {"enabled", enable}, {"changed", change.changed}});
        for (const auto& note : change.notes)
            context.err() << note << "\n";
    }
    context.print({{"plugins", plugins}});
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

struct Removal {
    std::string id;
    bool data = false;
    bool yes = false;
    bool dryRun = false;
};

void refuseWhileUsed(ControlContext& context, const std::string& id) {
    const PluginSymlinks symlinks = openSymlinks(context);
    if (symlinks.isEnabled(id))
        throw CommandFailure(
            fmt::format("nothing was removed: plugin '{0}' is enabled; run: supplierctl plugin disable "
                        "{0}, reload supplierd, then run this again",
                        id));
    const auto needing = symlinks.enabledThatNeed({id});
    if (!needing.empty())
        throw CommandFailure(fmt::format("nothing was removed: needed by the enabled {} {}; run: supplierctl plugin "
                                         "disable {}, reload supplierd, then run this again",
                                         needing.size() == 1 ? "plugin" : "plugins", fmt::join(needing, ", "),
                                         fmt::join(needing, " ")));
}

/// Nobody's tables are a slip of the pen, unless there is such a plugin, which has none.
void requireKnown(ControlContext& context, const std::string& id) {
    if (openSymlinks(context).isInstalled(id))
        return;
    PooledSession session(openSession(context.settings().database.session));
    std::set<std::string> ids;
    for (const auto& [key, entry] : SchemaHistory(session).read())
        if (key.first != "core")
            ids.insert(key.first);
    throw CommandFailure(fmt::format("the database holds nothing of a plugin '{}'{}", id,
                                     suggestion(id, std::vector<std::string>(ids.begin(), ids.end()))));
}

void refuseReferences(const std::string& id, const RemovalPlan& plan) {
    if (plan.references.empty())
        return;
    std::string references;
    for (const auto& reference : plan.references)
        references += (references.empty() ? "" : ", ") + describe(reference);
    throw CommandFailure("nothing was removed: tables that are not of plugin '" + id +
                         "' refer to its own: " + references +
                         "; remove the data of the plugin that made them first, or drop these foreign keys");
}

/// All that is there of a plugin: what its migrations made, and what the host keeps for it.
struct PluginData {
    RemovalPlan schema;
    PluginRemains remains;
    std::filesystem::path folder; ///< empty: there is none

    bool empty() const { return !schema.isRecorded && remains.empty() && folder.empty(); }
};

PluginData findData(ControlContext& context, const std::string& id, const RemovalPlan& schema) {
    PluginData data{schema, {}, {}};
    data.remains = context.database().read([&](SqlSession& session) { return findRemains(session, id); });
    const auto folder = stateFolderOf(context.settings().server.stateDir, id);
    if (std::filesystem::symlink_status(folder).type() != std::filesystem::file_type::not_found)
        data.folder = folder;
    return data;
}

std::string describeRemains(const PluginData& data) {
    auto text = fmt::format("{} settings, {} jobs", data.remains.settings, data.remains.jobs);
    if (!data.folder.empty())
        text += ", the folder " + data.folder.string();
    return text;
}

void confirm(ControlContext& context, const Removal& wanted, const PluginData& data) {
    const RemovalPlan& plan = data.schema;
    if (wanted.yes)
        return;
    if (context.json)
        throw CommandFailure("nothing was removed: with --json there is no question, so give --yes too",
                             ExitCode::Usage);
    for (const auto& table : plan.tables)
        context.err() << fmt::format("  {} (about {} rows)\n", table.name, table.rows);
    context.err() << "  " << describeRemains(data) << "\n" << std::flush;
    const auto question = fmt::format("All this and {} records of migrations of plugin '{}' will be gone for good, "
                                      "and a server that still runs with it will fail. Remove them?",
                                      plan.migrations, wanted.id);
    if (!Terminal().confirm(question, false))
        throw CommandFailure("nothing was removed");
}

void print(ControlContext& context, const PluginData& data, const Removal& wanted, bool isRemoved) {
    const RemovalPlan& plan = data.schema;
    auto tables = ResponseJson::array();
    for (const auto& table : plan.tables)
        tables.push_back({{"table", table.name}, {"rows", table.rows}});
    if (context.json) {
        context.print({{"plugin", wanted.id},
                       {"removed", isRemoved},
                       {"migrations", plan.migrations},
                       {"tables", tables},
                       {"settings", data.remains.settings},
                       {"jobs", data.remains.jobs},
                       {"folder", data.folder.empty() ? ResponseJson() : ResponseJson(data.folder.string())}});
        return;
    }
    if (!tables.empty())
        context.print({{"tables", tables}}, {{"columns", {{"table", "TABLE"}, {"rows", "ROWS (ESTIMATED)"}}}});
    context.out() << fmt::format("{}: {} tables, {} records of migrations, {} {}\n", wanted.id, plan.tables.size(),
                                 plan.migrations, describeRemains(data), isRemoved ? "removed" : "would be removed");
}

/// And takes what the host kept for it, before its tables: of an interrupted removal those are found again.
void record(ControlContext& context, const std::string& id, const RemovalPlan& plan) {
    context.database().withTransaction([&](Transaction& transaction) {
        removeRemains(transaction, id);
        ResponseJson before = {{"id", id}, {"tables", ResponseJson::array()}};
        for (const auto& table : plan.tables)
            before["tables"].push_back(table.name);
        context.record(transaction,
                       {.action = "plugin.remove-data", .object = "plugin", .objectId = 0, .before = before.dump()});
    });
}

void remove(ControlContext& context, const Removal& wanted) {
    if (!wanted.data)
        throw CommandFailure(fmt::format("say what to remove: --data for the plugin's tables; its file goes with its "
                                         "package, and `supplierctl plugin disable {}` has the server leave it out",
                                         wanted.id),
                             ExitCode::Usage);
    if (!isPluginId(wanted.id) || wanted.id == "core")
        throw CommandFailure("'" + wanted.id + "' is no plugin's id", ExitCode::Usage);
    refuseWhileUsed(context, wanted.id);
    SchemaRemoval removal(context.settings().database.session, wanted.id);
    const RemovalPlan plan = removal.plan();
    const PluginData data = findData(context, wanted.id, plan);
    if (data.empty())
        requireKnown(context, wanted.id);
    refuseReferences(wanted.id, plan);
    if (wanted.dryRun || data.empty()) {
        print(context, data, wanted, false);
        return;
    }
    confirm(context, wanted, data);
    record(context, wanted.id, plan);
    removal.run([&](const std::string& notice) { context.err() << notice << "\n" << std::flush; });
    if (!data.folder.empty())
        std::filesystem::remove_all(data.folder);
    print(context, data, wanted, true);
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

    auto wanted = std::make_shared<Removal>();
    auto* removing = plugin->add_subcommand("remove", "Remove the data of a plugin that is not used any more");
    removing->add_option("ID", wanted->id, "The plugin's id; its file need not be there any more")->required();
    removing->add_flag(
        "--data", wanted->data,
        "Its tables with all that is in them, the records of its migrations, its settings, jobs and folder");
    removing->add_flag("--dry-run", wanted->dryRun, "Only print what would be removed");
    removing->add_flag("-y,--yes", wanted->yes, "Ask nothing");
    removing->footer(
        "There is no way back but a backup. Refuses while the plugin is enabled, while an enabled plugin needs it,\n"
        "and while foreign keys of other tables refer to its own. Safe to repeat: an interrupted removal goes on.");
    removing->callback([&context, wanted] { remove(context, *wanted); });
    addPluginNewCommand(*plugin, context);
    addPluginRunCommand(*plugin, context);
    addPluginValidateCommand(*plugin, context);
}

} // namespace supplierd::host
