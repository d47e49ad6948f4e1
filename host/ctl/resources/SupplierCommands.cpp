#include "host/auth/AccountStore.h"
#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Catalogue.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace supplierd::host {
namespace {

constexpr std::int64_t MAX_LIMIT = 100'000;

struct NewSupplier {
    std::string name;
    std::string email;
    bool verified = false;
};

struct SupplierPage {
    std::int64_t after = 0;
    std::int64_t limit = 1'000;
    bool sandboxes = false;
};

/// Null where nobody can count products: what is done with suppliers does not depend on that.
Catalogue* catalogueOf(ControlContext& context) {
    try {
        return context.offersService(Catalogue::ID) ? &context.service<Catalogue>() : nullptr;
    } catch (const CommandFailure& failure) {
        context.err() << "The products are not counted: " << failure.what() << "\n";
        return nullptr;
    }
}

Listing describe(ControlContext& context, const std::vector<Supplier>& suppliers) {
    Listing listing({{"id", "ID", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"email", "EMAIL"},
                     {"status", "STATUS"},
                     {"products_pending", "PENDING", Listing::Kind::Integer},
                     {"products_active", "ACTIVE", Listing::Kind::Integer},
                     {"products_inactive", "INACTIVE", Listing::Kind::Integer},
                     {"sandbox_of", "SANDBOX OF", Listing::Kind::Integer},
                     {"created_at", "CREATED"}});
    auto* const catalogue = catalogueOf(context);
    for (const auto& supplier : suppliers) {
        Listing::Row row{std::to_string(supplier.id),
                         supplier.name,
                         supplier.email,
                         supplier.status,
                         std::nullopt,
                         std::nullopt,
                         std::nullopt,
                         supplier.sandboxOf ? std::optional(std::to_string(*supplier.sandboxOf)) : std::nullopt,
                         supplier.createdAt};
        if (catalogue) {
            const auto products =
                context.database().read([&](SqlSession& session) { return catalogue->count(session, supplier.id); });
            row[4] = std::to_string(products.pending);
            row[5] = std::to_string(products.active);
            row[6] = std::to_string(products.inactive);
        }
        listing.add(std::move(row));
    }
    return listing;
}

/// Of one; without a row when there is no such supplier.
Listing readSupplier(ControlContext& context, std::int64_t id) {
    const auto found =
        context.database().read([&](SqlSession& session) { return context.accounts().findSupplier(session, id); });
    return describe(context, found ? std::vector<Supplier>{*found} : std::vector<Supplier>());
}

JsonDocument fieldsOf(const NewSupplier& supplier) {
    std::string fields;
    JsonWriter json(fields);
    json.beginObject().field("name", supplier.name).field("email", supplier.email);
    json.field("status", supplier.verified ? "verified" : "unverified").endObject();
    return parseJsonObject(std::move(fields));
}

void addSupplier(ControlContext& context, const NewSupplier& wanted) {
    if (!isValidUtf8(wanted.name) || !isValidUtf8(wanted.email))
        throw CommandFailure("the name and the e-mail address must be valid UTF-8", ExitCode::Usage);
    Supplier added;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            added = context.accounts().addSupplier(transaction, fieldsOf(wanted).object(), context.actor());
        });
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::Validation)
            throw;
        throw describeRefusal(error);
    }
    context.printOne("supplier", describe(context, {added}),
                     fmt::format("supplier {} added, {}", added.id, added.status));
    if (!context.json && !wanted.verified)
        context.err() << fmt::format("Its keys answer 403 until `supplierctl supplier verify {}`.\n", added.id);
}

struct SupplierChange {
    std::int64_t id = 0;
    std::optional<std::string> name;
    std::optional<std::string> email; ///< "": none
};

void updateSupplier(ControlContext& context, const SupplierChange& wanted) {
    if (!wanted.name && !wanted.email)
        throw CommandFailure("say what changes: --name or --email", ExitCode::Usage);
    if (!isValidUtf8(wanted.name.value_or("")) || !isValidUtf8(wanted.email.value_or("")))
        throw CommandFailure("the name and the e-mail address must be valid UTF-8", ExitCode::Usage);
    std::string fields;
    JsonWriter json(fields);
    json.beginObject();
    if (wanted.name)
        json.field("name", *wanted.name);
    if (wanted.email)
        json.field("email", *wanted.email);
    json.endObject();
    const JsonDocument document = parseJsonObject(std::move(fields));
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            context.accounts().updateSupplier(transaction, wanted.id, document.object(), context.actor());
        });
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::NotFound)
            throw noSuchSupplier(wanted.id);
        if (error.kind() != ErrorKind::Validation)
            throw;
        throw describeRefusal(error);
    }
    context.printOne("supplier", readSupplier(context, wanted.id), fmt::format("supplier {} is changed", wanted.id));
}

using ChangeStatus = Supplier (AccountStore::*)(Transaction&, std::int64_t, const Actor&);

void setStatus(ControlContext& context, std::int64_t id, ChangeStatus change) {
    Supplier changed;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            changed = (context.accounts().*change)(transaction, id, context.actor());
        });
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::NotFound)
            throw;
        throw noSuchSupplier(id);
    }
    context.printOne("supplier", describe(context, {changed}),
                     fmt::format("supplier {} is {}; the servers know within 2 seconds", id, changed.status));
}

void listSuppliers(ControlContext& context, const SupplierPage& page) {
    const auto found = context.database().read([&](SqlSession& session) {
        return context.accounts().suppliersAfter(session, page.sandboxes, page.after, page.limit);
    });
    const auto suppliers = describe(context, found);
    context.printListing("suppliers", suppliers,
                         page.after == 0 ? "There are no suppliers; `supplierctl supplier add NAME` adds one."
                                         : "There are no further suppliers.");
    if (static_cast<std::int64_t>(suppliers.size()) == page.limit)
        context.err() << "Further ones: --after " << *suppliers.cell(suppliers.size() - 1, 0) << "\n";
}

void showSupplier(ControlContext& context, std::int64_t id) {
    const auto found = readSupplier(context, id);
    if (found.size() == 0)
        throw noSuchSupplier(id);
    std::string text;
    JsonWriter json(text);
    json.beginObject().key("supplier");
    found.appendRow(json, 0);
    json.endObject();
    printItemText(context, "supplier", text);
    context.err() << fmt::format("Its keys: supplierctl key list {}\n", id);
}

/// The supplier's sandbox, made unless it has one.
void addSandbox(ControlContext& context, std::int64_t id) {
    Supplier sandbox;
    bool isNew = false;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            isNew = !context.accounts().findSandbox(transaction, id);
            sandbox = context.accounts().addSandbox(transaction, id, context.actor());
        });
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::NotFound)
            throw noSuchSupplier(id);
        if (error.kind() == ErrorKind::Conflict)
            throw CommandFailure(error.message());
        throw;
    }
    context.printOne(
        "supplier", describe(context, {sandbox}),
        fmt::format("supplier {} is the sandbox of supplier {}{}", sandbox.id, id, isNew ? "" : ", as it was before"));
    if (!context.json)
        context.err() << fmt::format("A key for it: supplierctl key create {}\n", sandbox.id);
}

} // namespace

void addSupplierCommands(CLI::App& program, ControlContext& context) {
    auto* supplier = program.add_subcommand("supplier", "Suppliers: add, list, show, update, verify, suspend, sandbox");
    supplier->require_subcommand(1);

    auto added = std::make_shared<NewSupplier>();
    auto* add = supplier->add_subcommand("add", "Add a supplier");
    add->add_option("NAME", added->name, "Its name")->required();
    add->add_option("--email", added->email, "Its e-mail address");
    add->add_flag("--verified", added->verified, "Verified at once, so that its keys work");
    add->callback([&context, added] { addSupplier(context, *added); });

    auto page = std::make_shared<SupplierPage>();
    auto* list = supplier->add_subcommand("list", "List the suppliers with their numbers of products");
    list->add_option("--limit", page->limit, "At most so many")
        ->check(CLI::Range(std::int64_t{1}, MAX_LIMIT))
        ->capture_default_str();
    list->add_option("--after", page->after, "Only those after the supplier with this id")->check(idOf("supplier"));
    list->add_flag("--sandbox", page->sandboxes, "The sandboxes too");
    list->callback([&context, page] { listSuppliers(context, *page); });

    auto shown = std::make_shared<std::int64_t>(0);
    auto* show = supplier->add_subcommand("show", "Show a supplier");
    show->add_option("ID", *shown, "The supplier's id")->required()->check(idOf("supplier"));
    show->callback([&context, shown] { showSupplier(context, *shown); });

    auto wanted = std::make_shared<SupplierChange>();
    auto* update = supplier->add_subcommand("update", "Change what a supplier says of itself");
    update->add_option("ID", wanted->id, "The supplier's id")->required()->check(idOf("supplier"));
    update->add_option("--name", wanted->name, "Its name");
    update->add_option("--email", wanted->email, "Its e-mail address; '' takes it away");
    update->callback([&context, wanted] { updateSupplier(context, *wanted); });

    const auto addStatusCommand = [&](const char* name, const char* help, ChangeStatus change) {
        auto id = std::make_shared<std::int64_t>(0);
        auto* command = supplier->add_subcommand(name, help);
        command->add_option("ID", *id, "The supplier's id")->required()->check(idOf("supplier"));
        command->callback([&context, id, change] { setStatus(context, *id, change); });
    };
    auto sandboxed = std::make_shared<std::int64_t>(0);
    auto* sandbox = supplier->add_subcommand(
        "sandbox", "Make a supplier's sandbox, its test twin, and show it; it has one at most");
    sandbox->add_option("ID", *sandboxed, "The supplier's id")->required()->check(idOf("supplier"));
    sandbox->callback([&context, sandboxed] { addSandbox(context, *sandboxed); });

    addStatusCommand("verify", "Let a supplier use the API (also after a suspension)", &AccountStore::verifySupplier);
    addStatusCommand("suspend", "Answer 403 to every key of a supplier", &AccountStore::suspendSupplier);
}

} // namespace supplierd::host
