#include "host/ctl/resources/AuditFields.h"
#include "host/ctl/resources/IdArgument.h"
#include "host/ctl/setup/ServicePages.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <supplierd/Validation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace supplierd::host {
namespace {

constexpr std::size_t MAX_SUPPLIER_NAME = 255;
constexpr std::int64_t MAX_LIMIT = 100'000;

constexpr std::string_view INSERT_SUPPLIER = R"sql(
INSERT INTO suppliers (name, email, status) VALUES (?, ?, ?)
)sql";

constexpr std::string_view INSERT_STATE = R"sql(
INSERT INTO supplier_state (supplier_id) VALUES (?)
)sql";

constexpr std::string_view SELECT_SUPPLIERS = R"sql(
SELECT s.id, s.name, s.email, s.status, t.products_pending, t.products_active, t.products_inactive, s.created_at
FROM suppliers s JOIN supplier_state t ON t.supplier_id = s.id
WHERE s.id > ? AND (? = 0 OR s.id = ?)
ORDER BY s.id LIMIT ?
)sql";

constexpr std::string_view LOCK_STATUS = R"sql(
SELECT status FROM suppliers WHERE id = ? FOR UPDATE
)sql";

constexpr std::string_view UPDATE_STATUS = R"sql(
UPDATE suppliers SET status = ? WHERE id = ?
)sql";

struct NewSupplier {
    std::string name;
    std::string email;
    bool verified = false;
};

struct SupplierPage {
    std::int64_t after = 0;
    std::int64_t limit = 1'000;
};

/// One supplier, or a page of all when `id` is 0.
Listing readSuppliers(ControlContext& context, std::int64_t id, const SupplierPage& page = {}) {
    Listing listing({{"id", "ID", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"email", "EMAIL"},
                     {"status", "STATUS"},
                     {"products_pending", "PENDING", Listing::Kind::Integer},
                     {"products_active", "ACTIVE", Listing::Kind::Integer},
                     {"products_inactive", "INACTIVE", Listing::Kind::Integer},
                     {"created_at", "CREATED"}});
    context.database().withSession([&](SqlSession& session) {
        auto read = listing;
        auto& rows = session.query(SELECT_SUPPLIERS, {page.after, id, id, page.limit});
        while (rows.next())
            read.add({std::string(rows.text(0)), std::string(rows.text(1)), rows.maybeText(2),
                      std::string(rows.text(3)), std::string(rows.text(4)), std::string(rows.text(5)),
                      std::string(rows.text(6)), rows.time(7)});
        listing = std::move(read);
    });
    return listing;
}

void addSupplier(ControlContext& context, const NewSupplier& supplier) {
    const auto name = trimmed(supplier.name);
    const auto email = trimmed(supplier.email);
    if (name.empty() || !isValidUtf8(name) || codePoints(name) > MAX_SUPPLIER_NAME)
        throw CommandFailure("the name must have 1 to 255 characters of valid UTF-8", ExitCode::Usage);
    if (!isValidUtf8(email) || codePoints(email) > MAX_SUPPLIER_NAME)
        throw CommandFailure("the e-mail address must have at most 255 characters of valid UTF-8", ExitCode::Usage);
    if (!email.empty() && !looksLikeEmail(email))
        throw CommandFailure(fmt::format("'{}' is no e-mail address", email), ExitCode::Usage);
    const std::string_view status = supplier.verified ? "verified" : "unverified";
    std::int64_t id = 0;
    context.database().withTransaction([&](Transaction& transaction) {
        transaction.execute(INSERT_SUPPLIER, {name, email.empty() ? SqlParam(nullptr) : SqlParam(email), status});
        id = transaction.lastInsertId();
        transaction.execute(INSERT_STATE, {id});
        const auto after = auditFields([&](JsonWriter& json) {
            json.field("name", name).key("email");
            if (email.empty())
                json.null();
            else
                json.value(email);
            json.field("status", status);
        });
        context.record(
            transaction,
            {.action = "supplier.create", .object = "supplier", .objectId = id, .supplierId = id, .after = after});
    });
    context.printOne("supplier", readSuppliers(context, id), fmt::format("supplier {} added, {}", id, status));
    if (!context.json && !supplier.verified)
        context.hints() << fmt::format("Its keys answer 403 until `supplierctl supplier verify {}`.\n", id);
}

std::string statusFields(std::string_view status) {
    return auditFields([&](JsonWriter& json) { json.field("status", status); });
}

/// `verb`: what the audit log calls it.
void setStatus(ControlContext& context, std::int64_t id, std::string_view verb, std::string_view status) {
    context.database().withTransaction([&](Transaction& transaction) {
        auto& row = transaction.query(LOCK_STATUS, {id});
        if (!row.next())
            throw CommandFailure(fmt::format("there is no supplier {}; see `supplierctl supplier list`", id));
        const std::string before(row.text(0));
        if (before == status)
            return;
        transaction.execute(UPDATE_STATUS, {status, id});
        context.record(transaction, {.action = fmt::format("supplier.{}", verb),
                                     .object = "supplier",
                                     .objectId = id,
                                     .supplierId = id,
                                     .before = statusFields(before),
                                     .after = statusFields(status)});
    });
    context.printOne("supplier", readSuppliers(context, id),
                     fmt::format("supplier {} is {}; the servers know within 2 seconds", id, status));
}

void listSuppliers(ControlContext& context, const SupplierPage& page) {
    const auto suppliers = readSuppliers(context, 0, page);
    context.printListing("suppliers", suppliers,
                         page.after == 0 ? "There are no suppliers; `supplierctl supplier add NAME` adds one."
                                         : "There are no further suppliers.");
    if (static_cast<std::int64_t>(suppliers.size()) == page.limit)
        context.hints() << "Further ones: --after " << *suppliers.cell(suppliers.size() - 1, 0) << "\n";
}

void showSupplier(ControlContext& context, std::int64_t id) {
    const auto found = readSuppliers(context, id);
    if (found.size() == 0)
        throw CommandFailure(fmt::format("there is no supplier {}; see `supplierctl supplier list`", id));
    std::string text;
    JsonWriter json(text);
    json.beginObject().key("supplier");
    found.appendRow(json, 0);
    json.endObject();
    printItemText(context, "supplier", text);
    context.hints() << fmt::format("Its keys: supplierctl key list {}\n", id);
}

} // namespace

void addSupplierCommands(CLI::App& program, ControlContext& context) {
    auto* supplier = program.add_subcommand("supplier", "Suppliers: add, list, show, verify, suspend");
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
    list->callback([&context, page] { listSuppliers(context, *page); });

    auto shown = std::make_shared<std::int64_t>(0);
    auto* show = supplier->add_subcommand("show", "Show a supplier");
    show->add_option("ID", *shown, "The supplier's id")->required()->check(idOf("supplier"));
    show->callback([&context, shown] { showSupplier(context, *shown); });

    const auto addStatusCommand = [&](const char* name, const char* help, const char* status) {
        auto id = std::make_shared<std::int64_t>(0);
        auto* command = supplier->add_subcommand(name, help);
        command->add_option("ID", *id, "The supplier's id")->required()->check(idOf("supplier"));
        command->callback([&context, id, name, status] { setStatus(context, *id, name, status); });
    };
    addStatusCommand("verify", "Let a supplier use the API (also after a suspension)", "verified");
    addStatusCommand("suspend", "Answer 403 to every key of a supplier", "suspended");
}

} // namespace supplierd::host
