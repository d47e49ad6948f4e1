#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/CategoryTree.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

namespace supplierd::host {
namespace {

struct NewCategory {
    std::string name;
    std::string slug;
    std::int64_t parentId = 0;
    std::string type = "flower";
};

JsonDocument fieldsOf(const NewCategory& category) {
    std::string fields;
    JsonWriter json(fields);
    json.beginObject().field("name", category.name).field("type", category.type);
    if (!category.slug.empty())
        json.field("slug", category.slug);
    if (category.parentId != 0)
        json.field("parent_id", category.parentId);
    json.endObject();
    return parseJsonObject(std::move(fields));
}

/// The problems of the request in the words of the command line.
CommandFailure categoryRefusal(const ApiError& error, const NewCategory& category) {
    std::string message;
    bool isUsage = true;
    for (const auto& detail : error.details()) {
        message += message.empty() ? "" : "\n";
        if (detail.field == "parent_id" && detail.code == "unknown_reference")
            message += fmt::format("there is no category {} to be the parent", category.parentId);
        else
            message += detail.message + (detail.field == "slug" ? "; give another one with --slug" : "");
        isUsage = isUsage && detail.code != "unknown_reference" && detail.code != "duplicate";
    }
    return CommandFailure(message, isUsage ? ExitCode::Usage : ExitCode::Failed);
}

Listing describeCategories(const std::vector<CategoryRecord>& all, const std::vector<CategoryRecord>& shown) {
    std::map<std::int64_t, std::string> names;
    for (const auto& category : all)
        names[category.id] = category.name;
    Listing listing({{"id", "ID", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"slug", "SLUG"},
                     {"parent_id", "", Listing::Kind::Integer},
                     {"parent_name", "PARENT"},
                     {"type", "TYPE"},
                     {"is_active", "ACTIVE", Listing::Kind::Boolean}});
    for (const auto& category : shown) {
        const auto& parent = category.parentId;
        listing.add({std::to_string(category.id), category.name, category.slug,
                     parent ? std::optional(std::to_string(*parent)) : std::nullopt,
                     parent ? std::optional(names[*parent]) : std::nullopt, category.type,
                     category.isActive ? "true" : "false"});
    }
    return listing;
}

std::vector<CategoryRecord> readAll(ControlContext& context) {
    auto& tree = context.service<CategoryTree>();
    return context.database().read([&](SqlSession& session) { return tree.all(session); });
}

void addCategory(ControlContext& context, const NewCategory& category) {
    if (!isValidUtf8(category.name) || !isValidUtf8(category.slug))
        throw CommandFailure("the name and the slug must be valid UTF-8", ExitCode::Usage);
    auto& tree = context.service<CategoryTree>();
    CategoryRecord added;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            added = tree.add(transaction, fieldsOf(category).object(), context.actor()).after;
        });
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::Validation)
            throw;
        throw categoryRefusal(error, category);
    }
    context.printOne("category", describeCategories(readAll(context), {added}),
                     fmt::format("category {} added: {} ({})", added.id, added.name, added.slug));
}

void listCategories(ControlContext& context) {
    const auto all = readAll(context);
    context.printListing("categories", describeCategories(all, all),
                         "There are no categories; `supplierctl category add NAME` adds one.");
}

} // namespace

void addCategoryCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("category", "Categories of products: add, list");
    group->require_subcommand(1);

    auto added = std::make_shared<NewCategory>();
    auto* add = group->add_subcommand("add", "Add a category");
    add->add_option("NAME", added->name, "Its name")->required();
    add->add_option("--slug", added->slug, "Its name in addresses (default: made from the name)");
    add->add_option("--parent", added->parentId, "The id of the category above it")->check(idOf("category"));
    add->add_option("--type", added->type, "What its products are")
        ->check(CLI::IsMember({"flower", "supply"}))
        ->capture_default_str();
    add->callback([&context, added] { addCategory(context, *added); });

    group->add_subcommand("list", "List the categories")->callback([&context] { listCategories(context); });
}

} // namespace supplierd::host
