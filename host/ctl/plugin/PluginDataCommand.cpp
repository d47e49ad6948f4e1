#include "host/config/NearestName.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/db/Connector.h"
#include "host/db/schema/SchemaHistory.h"
#include "host/db/schema/SchemaRemoval.h"
#include "host/plugins/PluginLook.h"
#include "host/plugins/PluginScope.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

namespace supplierd::host {
namespace {

struct Removal {
    std::string id;
    bool data = false;
    bool yes = false;
    bool dryRun = false;
};

void refuseWhileUsed(ControlContext& context, const std::string& id) {
    const PluginSymlinks symlinks = pluginSymlinks(context.settings().server);
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
    if (pluginSymlinks(context.settings().server).isInstalled(id))
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
    std::string text = "nothing was removed: tables that are not of plugin '" + id + "' refer to its own: ";
    for (const auto& reference : plan.references)
        text += (&reference == &plan.references.front() ? "" : ", ") + describe(reference);
    throw CommandFailure(text + "; remove the data of the plugin that made them first, or drop these foreign keys");
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
    Listing listing({{"table", "TABLE"}, {"rows", "ROWS (ESTIMATED)", Listing::Kind::Integer}});
    for (const auto& table : plan.tables)
        listing.add({table.name, std::to_string(table.rows)});
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.field("plugin", wanted.id).field("removed", isRemoved);
            json.field("migrations", static_cast<std::int64_t>(plan.migrations));
            listing.appendJson(json.key("tables"));
            json.field("settings", data.remains.settings).field("jobs", data.remains.jobs).key("folder");
            if (data.folder.empty())
                json.null();
            else
                json.value(data.folder.string());
        });
        return;
    }
    if (listing.size() > 0)
        listing.printTable(context.out());
    context.out() << fmt::format("{}: {} tables, {} records of migrations, {} {}\n", wanted.id, plan.tables.size(),
                                 plan.migrations, describeRemains(data), isRemoved ? "removed" : "would be removed");
}

/// And takes what the host kept for it, before its tables: of an interrupted removal those are found again.
void record(ControlContext& context, const std::string& id, const RemovalPlan& plan) {
    context.database().withTransaction([&](Transaction& transaction) {
        removeRemains(transaction, id);
        std::string before;
        JsonWriter json(before);
        json.beginObject().field("id", id).key("tables").beginArray();
        for (const auto& table : plan.tables)
            json.value(table.name);
        json.endArray().endObject();
        context.record(transaction,
                       {.action = "plugin.remove-data", .object = "plugin", .objectId = 0, .before = before});
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

void addPluginDataCommand(CLI::App& plugin, ControlContext& context) {
    auto wanted = std::make_shared<Removal>();
    auto* command = plugin.add_subcommand("remove", "Remove the data of a plugin that is not used any more");
    command->add_option("ID", wanted->id, "The plugin's id; its file need not be there any more")->required();
    command->add_flag(
        "--data", wanted->data,
        "Its tables with all that is in them, the records of its migrations, its settings, jobs and folder");
    command->add_flag("--dry-run", wanted->dryRun, "Only print what would be removed");
    command->add_flag("-y,--yes", wanted->yes, "Ask nothing");
    command->footer(
        "There is no way back but a backup. Refuses while the plugin is enabled, while an enabled plugin needs it,\n"
        "and while foreign keys of other tables refer to its own. Safe to repeat: an interrupted removal goes on.");
    command->callback([&context, wanted] { remove(context, *wanted); });
}

} // namespace supplierd::host
