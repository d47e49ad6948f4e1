#include "host/ctl/CommandFailure.h"
#include "host/ctl/Commands.h"
#include "host/ctl/ControlContext.h"

#include <supplierd/Validation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace supplierd::host {
namespace {

constexpr std::size_t MAX_NAME = 255;

constexpr std::string_view INSERT_CATEGORY = R"sql(
INSERT INTO categories (name, slug, parent_id, type) VALUES (?, ?, ?, ?)
)sql";

constexpr std::string_view SELECT_CATEGORIES = R"sql(
SELECT c.id, c.name, c.slug, c.parent_id, p.name, c.type, c.is_active
FROM categories c LEFT JOIN categories p ON p.id = c.parent_id
WHERE ? = 0 OR c.id = ?
ORDER BY c.id
)sql";

struct NewCategory {
    std::string name;
    std::string slug;
    std::int64_t parentId = 0;
    std::string type = "flower";
};

/// "Cut flowers & more" → "cut-flowers-more". Letters outside ASCII are left out.
std::string slugOf(std::string_view name) {
    std::string slug;
    for (const char c : name) {
        const bool isUpper = c >= 'A' && c <= 'Z';
        if (isUpper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            slug += isUpper ? static_cast<char>(c - 'A' + 'a') : c;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    while (slug.ends_with('-'))
        slug.pop_back();
    return slug;
}

void requireValid(const NewCategory& category) {
    if (category.name.empty() || !isValidUtf8(category.name) || codePoints(category.name) > MAX_NAME)
        throw CommandFailure("the name must have 1 to 255 characters of valid UTF-8", ExitCode::Usage);
    if (category.slug.empty())
        throw CommandFailure("no slug can be made from this name; give one with --slug", ExitCode::Usage);
    if (category.slug != slugOf(category.slug))
        throw CommandFailure("a slug consists of lower-case letters, digits and single hyphens: " +
                                 slugOf(category.slug),
                             ExitCode::Usage);
}

/// One category, or all when `id` is 0.
Listing readCategories(ControlContext& context, std::int64_t id) {
    Listing listing({{"id", "ID", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"slug", "SLUG"},
                     {"parent_id", "", Listing::Kind::Integer},
                     {"parent_name", "PARENT"},
                     {"type", "TYPE"},
                     {"is_active", "ACTIVE", Listing::Kind::Boolean}});
    context.database().withSession([&](SqlSession& session) {
        auto read = listing;
        auto& rows = session.query(SELECT_CATEGORIES, {id, id});
        while (rows.next())
            read.add({std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)),
                      rows.maybeText(3), rows.maybeText(4), std::string(rows.text(5)),
                      rows.boolean(6) ? "true" : "false"});
        listing = std::move(read);
    });
    return listing;
}

void addCategory(ControlContext& context, NewCategory category) {
    category.name = trimmed(category.name);
    if (category.slug.empty())
        category.slug = slugOf(category.name);
    requireValid(category);
    std::int64_t id = 0;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            transaction.execute(INSERT_CATEGORY,
                                {category.name, category.slug,
                                 category.parentId == 0 ? SqlParam(nullptr) : SqlParam(category.parentId),
                                 category.type});
            id = transaction.lastInsertId();
        });
    } catch (const DatabaseError& error) {
        if (error.isDuplicateKey())
            throw CommandFailure("there is a category with the slug '" + category.slug +
                                 "'; give another one with --slug");
        if (error.isForeignKey())
            throw CommandFailure(fmt::format("there is no category {} to be the parent", category.parentId));
        throw;
    }
    context.printOne("category", readCategories(context, id),
                     fmt::format("category {} added: {} ({})", id, category.name, category.slug));
}

} // namespace

void addCategoryCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("category", "Categories of products: add, list");
    group->require_subcommand(1);

    auto added = std::make_shared<NewCategory>();
    auto* add = group->add_subcommand("add", "Add a category");
    add->add_option("NAME", added->name, "Its name")->required();
    add->add_option("--slug", added->slug, "Its name in addresses (default: made from the name)");
    add->add_option("--parent", added->parentId, "The id of the category above it")->check(CLI::PositiveNumber);
    add->add_option("--type", added->type, "What its products are")
        ->check(CLI::IsMember({"flower", "supply"}))
        ->capture_default_str();
    add->callback([&context, added] { addCategory(context, *added); });

    group->add_subcommand("list", "List the categories")->callback([&context] {
        context.printListing("categories", readCategories(context, 0),
                             "There are no categories; `supplierctl category add NAME` adds one.");
    });
}

} // namespace supplierd::host
