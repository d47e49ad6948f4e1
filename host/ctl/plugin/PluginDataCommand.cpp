#include "host/config/NearestName.h"
#include "host/ctl/plugin/PluginAuthorCommands.h"
#include "host/ctl/resources/AuditFields.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/db/Connector.h"
#include "host/db/SchemaHistory.h"
#include "host/db/SchemaRemoval.h"
#include "host/plugins/PluginLook.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
                        "{0}, restart supplierd, then run this again",
                        id));
    const auto needing = symlinks.enabledThatNeed({id});
    if (!needing.empty())
        throw CommandFailure(fmt::format("nothing was removed: needed by the enabled {} {}; run: supplierctl plugin "
                                         "disable {}, restart supplierd, then run this again",
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

void confirm(ControlContext& context, const Removal& wanted, const RemovalPlan& plan) {
    if (wanted.yes)
        return;
    if (context.json)
        throw CommandFailure("nothing was removed: with --json there is no question, so give --yes too",
                             ExitCode::Usage);
    for (const auto& table : plan.tables)
        context.hints() << fmt::format("  {} (about {} rows)\n", table.name, table.rows);
    context.hints() << std::flush;
    const auto question = fmt::format("These tables and {} records of migrations of plugin '{}' will be gone for good, "
                                      "and a server that still runs with it will fail. Remove them?",
                                      plan.migrations, wanted.id);
    if (!Terminal().confirm(question, false))
        throw CommandFailure("nothing was removed");
}

void print(ControlContext& context, const RemovalPlan& plan, const Removal& wanted, bool isRemoved) {
    Listing listing({{"table", "TABLE"}, {"rows", "ROWS (ESTIMATED)", Listing::Kind::Integer}});
    for (const auto& table : plan.tables)
        listing.add({table.name, std::to_string(table.rows)});
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.field("plugin", wanted.id).field("removed", isRemoved);
            json.field("migrations", static_cast<std::int64_t>(plan.migrations));
            listing.appendJson(json.key("tables"));
        });
        return;
    }
    listing.printTable(context.out());
    context.out() << fmt::format("{}: {} tables, {} records of migrations {}\n", wanted.id, plan.tables.size(),
                                 plan.migrations, isRemoved ? "removed" : "would be removed");
}

void record(ControlContext& context, const std::string& id, const RemovalPlan& plan) {
    context.database().withTransaction([&](Transaction& transaction) {
        context.record(transaction, {.action = "plugin.remove-data",
                                     .object = "plugin",
                                     .objectId = 0,
                                     .before = auditFields([&](JsonWriter& json) {
                                         json.field("id", id).key("tables").beginArray();
                                         for (const auto& table : plan.tables)
                                             json.value(table.name);
                                         json.endArray();
                                     })});
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
    if (!plan.isRecorded)
        requireKnown(context, wanted.id);
    refuseReferences(wanted.id, plan);
    if (wanted.dryRun || !plan.isRecorded) {
        print(context, plan, wanted, false);
        return;
    }
    confirm(context, wanted, plan);
    record(context, wanted.id, plan);
    removal.run([&](const std::string& notice) { context.hints() << notice << "\n" << std::flush; });
    print(context, plan, wanted, true);
}

} // namespace

void addPluginDataCommand(CLI::App& plugin, ControlContext& context) {
    auto wanted = std::make_shared<Removal>();
    auto* command = plugin.add_subcommand("remove", "Remove the data of a plugin that is not used any more");
    command->add_option("ID", wanted->id, "The plugin's id; its file need not be there any more")->required();
    command->add_flag("--data", wanted->data, "Its tables with all that is in them, and the records of its migrations");
    command->add_flag("--dry-run", wanted->dryRun, "Only print what would be removed");
    command->add_flag("-y,--yes", wanted->yes, "Ask nothing");
    command->footer(
        "There is no way back but a backup. Refuses while the plugin is enabled, while an enabled plugin needs it,\n"
        "and while foreign keys of other tables refer to its own. Safe to repeat: an interrupted removal goes on.");
    command->callback([&context, wanted] { remove(context, *wanted); });
}

} // namespace supplierd::host
