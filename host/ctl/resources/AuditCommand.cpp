#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/plugins/PluginOperations.h"

#include <supplierd/Validation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

constexpr std::int64_t MAX_ENTRIES = 100'000;

/// The product's own; plugins may add theirs.
const std::vector<std::string> AUDIT_KINDS = {"supplier", "key",         "category", "product", "stock", "price",
                                              "order",    "order_group", "media",    "plugin",  "job"};

struct AuditOptions {
    std::string object;
    std::string actor;
    std::optional<std::int64_t> objectId;
    std::int64_t limit = 50;
    std::int64_t before = 0;
    bool withSandboxes = false;
};

/// Empty text is none, as in the API.
std::optional<std::string> textOrNone(const std::string& text) {
    const auto content = trimmed(text);
    return content.empty() ? std::nullopt : std::optional<std::string>(content);
}

Listing describe(const std::vector<AuditRecord>& records) {
    Listing listing({{"id", "ENTRY", Listing::Kind::Integer},
                     {"created_at", "TIME"},
                     {"actor", "WHO"},
                     {"action", "WHAT"},
                     {"object", ""},
                     {"object_id", "ID", Listing::Kind::Integer},
                     {"supplier_id", "SUPPLIER", Listing::Kind::Integer},
                     {"before", "", Listing::Kind::Json},
                     {"after", "", Listing::Kind::Json},
                     {"request_id", ""},
                     {"", "CHANGE"}});
    for (const auto& record : records) {
        const auto& entry = record.entry;
        listing.add({std::to_string(record.id), record.createdAt, entry.actor, entry.action, entry.object,
                     std::to_string(entry.objectId),
                     entry.supplierId ? std::optional(std::to_string(*entry.supplierId)) : std::nullopt,
                     textOrNone(entry.before), textOrNone(entry.after), textOrNone(entry.requestId),
                     describeChange(entry.before, entry.after)});
    }
    return listing;
}

/// What plugins declare; nothing when they cannot be asked: this is but a hint.
std::set<std::string> kindsOfPlugins(ControlContext& context) {
    try {
        return context.operations("").auditKinds();
    } catch (const CommandFailure&) {
        return {};
    }
}

/// A plugin's kind has no entry until something happens, and a mistyped one has none either: both are told so.
void hintAtKinds(ControlContext& context, const std::string& kind) {
    std::set<std::string> known(AUDIT_KINDS.begin(), AUDIT_KINDS.end());
    for (auto& recorded :
         context.database().read([&](SqlSession& session) { return context.auditLog().kinds(session); }))
        known.insert(std::move(recorded));
    known.merge(kindsOfPlugins(context));
    if (!known.contains(kind))
        context.err() << terminalText(fmt::format("nothing of the kind '{}' was ever changed; there are: {}", kind,
                                                  fmt::join(known, ", ")))
                      << "\n";
}

void listAudit(ControlContext& context, const AuditOptions& options) {
    const AuditFilter filter{textOrNone(options.object), options.objectId, textOrNone(options.actor),
                             options.withSandboxes};
    const auto records = context.database().read(
        [&](SqlSession& session) { return context.auditLog().find(session, filter, options.limit, options.before); });
    context.printListing("entries", describe(records), "There are no such entries.");
    if (records.empty() && filter.object)
        hintAtKinds(context, *filter.object);
    if (!context.json && std::ssize(records) == options.limit)
        context.err() << "Older ones: --before " << records.back().id << "\n";
}

} // namespace

void addAuditCommand(CLI::App& program, ControlContext& context) {
    auto options = std::make_shared<AuditOptions>();
    auto* audit = program.add_subcommand("audit", "Who changed what, and when; newest first");
    audit->add_option("--object", options->object,
                      fmt::format("Only of this kind: {}, or one of a plugin's", fmt::join(AUDIT_KINDS, ", ")));
    audit->add_option("--id", options->objectId, "Only of the object with this id")->check(idOf("object"));
    audit->add_option("--actor", options->actor, "Only by this key (ok_ab12cd34) or user (supplierctl:alice)");
    audit->add_flag("--sandbox", options->withSandboxes,
                    "Also what is of sandboxes, which --actor and --id show anyway");
    audit->add_option("--limit", options->limit, "At most so many")
        ->check(CLI::Range(std::int64_t{1}, MAX_ENTRIES))
        ->capture_default_str();
    audit->add_option("--before", options->before, "Only those older than this entry")->check(idOf("entry"));
    audit->callback([&context, options] { listAudit(context, *options); });
}

} // namespace supplierd::host
