#include "host/auth/AccountStore.h"

#include "host/db/changes/ChangeLogStore.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <array>
#include <set>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_NAME = 255;
constexpr std::size_t MAX_EMAIL = 255;
constexpr std::size_t MAX_SEARCH = 100;
constexpr std::string_view VERIFIED = "verified";
constexpr std::string_view SUSPENDED = "suspended";
constexpr std::array<std::string_view, 3> STATUSES{"unverified", VERIFIED, SUSPENDED};

// The columns of supplierOf(); selectSuppliers() adds where the rows come from.
constexpr std::string_view SELECT_SUPPLIERS =
    "SELECT STRAIGHT_JOIN s.id, s.name, s.email, s.status, s.created_at, s.sandbox_of ";
constexpr std::string_view SUPPLIERS_WHERE = "FROM suppliers s WHERE ";
constexpr std::string_view SUPPLIER_OF_ID = "FROM suppliers s WHERE s.id = ?";
constexpr std::string_view SUPPLIER_OF_ID_FOR_UPDATE = "FROM suppliers s WHERE s.id = ? FOR UPDATE";
constexpr std::string_view SANDBOX_OF_SUPPLIER = "FROM suppliers s WHERE s.sandbox_of = ?";
constexpr std::string_view SUPPLIERS_OF_IDS = R"sql(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t JOIN suppliers s FORCE INDEX (PRIMARY) ON s.id = t.id
ORDER BY s.id
)sql";

// A marketplace has thousands of suppliers, not millions: one pass counts them, and no second copy of the truth is
// kept.
constexpr std::string_view COUNT_SUPPLIERS = "SELECT COUNT(*) FROM suppliers s WHERE ";
constexpr std::string_view LIVE = "s.sandbox_of IS NULL";
constexpr std::string_view ALL = "s.id > 0";
constexpr std::string_view SANDBOX_OF = "s.sandbox_of = ?";
constexpr std::string_view BEHIND = " AND s.id < ?";
constexpr std::string_view OF_STATUS = " AND s.status = ?";
constexpr std::string_view MATCHING = " AND (s.name LIKE ? ESCAPE '|' OR s.email LIKE ? ESCAPE '|')";
constexpr std::string_view NEWEST_FIRST = " ORDER BY s.id DESC LIMIT ? OFFSET ?";

constexpr std::string_view LOCK_STATUS = R"sql(
SELECT status FROM suppliers WHERE id = ? FOR UPDATE
)sql";

constexpr std::string_view UPDATE_SUPPLIER = R"sql(
UPDATE suppliers SET name = ?, email = ? WHERE id = ?
)sql";

constexpr std::string_view INSERT_SUPPLIER = R"sql(
INSERT INTO suppliers (name, email, status, sandbox_of) VALUES (?, ?, ?, ?)
)sql";

constexpr std::string_view UPDATE_STATUS = R"sql(
UPDATE suppliers SET status = ? WHERE id = ?
)sql";

constexpr std::string_view SELECT_SANDBOX_IDS = R"sql(
SELECT s.id FROM suppliers s FORCE INDEX (suppliers_sandbox_of) WHERE s.sandbox_of > 0 ORDER BY s.id
)sql";

Rows& selectSuppliers(SqlSession& session, std::string_view from, const std::vector<SqlParam>& params) {
    return session.query(std::string(SELECT_SUPPLIERS).append(from), SqlParams(params));
}

Supplier supplierOf(const Rows& row) {
    Supplier supplier;
    supplier.id = row.integer(0);
    supplier.name = row.text(1);
    supplier.email = row.maybeText(2);
    supplier.status = row.text(3);
    supplier.createdAt = row.time(4);
    supplier.sandboxOf = row.maybeInteger(5);
    return supplier;
}

/// Nobody takes it for the live one, wherever it is shown.
std::string sandboxName(std::string_view name) {
    constexpr std::string_view MARK = " (sandbox)";
    std::size_t end = name.size();
    while (codePoints(name.substr(0, end)) + MARK.size() > MAX_NAME)
        --end; // a byte that goes on a character is none by itself
    return std::string(trimmed(name.substr(0, end))).append(MARK);
}

std::string statusJson(std::string_view status) {
    std::string text;
    JsonWriter(text).beginObject().field("status", status).endObject();
    return text;
}

Field<std::string> readEmail(ObjectReader& reader) {
    const Field<std::string> email = reader.text("email", {MAX_EMAIL});
    if (email.hasValue() && !looksLikeEmail(*email.value))
        reader.details().add("email", "type", "email must be an e-mail address");
    return email;
}

/// The condition of a list of suppliers, with what stands for its marks.
struct SupplierFilter {
    std::optional<std::int64_t> sandboxOf;
    std::optional<std::string> status;
    std::string pattern; ///< "" for every name
    std::string condition;

    std::vector<SqlParam> params() const {
        std::vector<SqlParam> params;
        if (sandboxOf)
            params.emplace_back(*sandboxOf);
        if (status)
            params.emplace_back(*status);
        if (!pattern.empty())
            params.insert(params.end(), {SqlParam(pattern), SqlParam(pattern)});
        return params;
    }
};

SupplierFilter readFilter(QueryReader& reader) {
    SupplierFilter filter;
    const bool withSandboxes = reader.boolean("sandbox").value_or(false);
    filter.sandboxOf = reader.integer("sandbox_of", 1);
    filter.condition = filter.sandboxOf ? SANDBOX_OF : withSandboxes ? ALL : LIVE;
    filter.status = reader.oneOf("status", STATUSES);
    if (filter.status)
        filter.condition += OF_STATUS;
    if (const auto search = reader.text("search", MAX_SEARCH)) {
        filter.pattern = patternContaining(*search);
        filter.condition += MATCHING;
    }
    return filter;
}

} // namespace

ApiError AccountStore::noSuchSupplier(std::int64_t id) {
    return ApiError::notFound("There is no supplier " + std::to_string(id));
}

Listed<Supplier> AccountStore::suppliers(Database& database, const QueryParameters& query) {
    Details details;
    QueryReader reader(query, details);
    const SupplierFilter filter = readFilter(reader);
    ListFingerprint print;
    print.add(filter.condition);
    print.add(filter.status.value_or(""));
    print.add(filter.pattern);
    if (filter.sandboxOf) // lists without it stay as they were before there was this filter
        print.add(*filter.sandboxOf);
    const ListPage page = ListPage::read(reader, {.fingerprint = print.value(), .total = ListTotal::Counted});
    details.throwIfAny();
    const ListStatements statements{.page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
                                        std::vector<SqlParam> params = filter.params();
                                        std::string from = std::string(SUPPLIERS_WHERE) + filter.condition;
                                        if (window.after) {
                                            from += BEHIND;
                                            params.emplace_back(window.after->lastId);
                                        }
                                        params.insert(params.end(), {SqlParam(window.limit), SqlParam(window.offset)});
                                        return selectSuppliers(session, from.append(NEWEST_FIRST), params);
                                    },
                                    .total =
                                        [&](SqlSession& session) {
                                            const std::vector<SqlParam> params = filter.params();
                                            Rows& row = session.query(std::string(COUNT_SUPPLIERS) + filter.condition,
                                                                      SqlParams(params));
                                            return row.next() ? row.integer(0) : 0;
                                        }};
    return page.select(database, statements, supplierOf);
}

std::optional<Supplier> AccountStore::findSupplier(SqlSession& session, std::int64_t id) {
    Rows& row = selectSuppliers(session, SUPPLIER_OF_ID, {{id}});
    return row.next() ? std::optional(supplierOf(row)) : std::nullopt;
}

std::vector<Supplier> AccountStore::findSuppliers(SqlSession& session, std::span<const std::int64_t> ids) {
    std::vector<Supplier> suppliers;
    if (ids.empty())
        return suppliers;
    std::string wanted;
    JsonWriter json(wanted);
    json.beginArray();
    for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end()))
        json.value(id);
    json.endArray();
    Rows& rows = selectSuppliers(session, SUPPLIERS_OF_IDS, {{wanted}});
    while (rows.next())
        suppliers.push_back(supplierOf(rows));
    return suppliers;
}

Supplier AccountStore::addSupplier(Transaction& transaction, const JsonObject& fields, const Actor& actor) {
    Details details;
    ObjectReader reader(fields, details);
    const Field<std::string> name = reader.text("name", {MAX_NAME, true});
    const Field<std::string> email = readEmail(reader);
    const std::string status = reader.oneOf("status", STATUSES).valueOr(std::string(STATUSES.front()));
    details.throwIfAny();
    Supplier supplier;
    supplier.name = *name.value;
    supplier.email = email.value;
    supplier.status = status;
    return insertSupplier(transaction, supplier, actor);
}

Supplier AccountStore::insertSupplier(Transaction& transaction, const Supplier& supplier, const Actor& actor) {
    transaction.execute(INSERT_SUPPLIER, {supplier.name, supplier.email, supplier.status, supplier.sandboxOf});
    const std::int64_t id = transaction.lastInsertId();
    ChangeLogStore::addSupplier(transaction.session(), id);
    AuditEntry entry = auditEntry(actor, "supplier", "create", id, id);
    JsonWriter json(entry.after);
    json.beginObject().field("name", supplier.name).field("email", supplier.email).field("status", supplier.status);
    if (supplier.sandboxOf)
        json.field("sandbox_of", *supplier.sandboxOf);
    json.endObject();
    _audit.record(transaction, entry);
    return findSupplier(transaction, id).value();
}

Supplier AccountStore::updateSupplier(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                                      const Actor& actor) {
    Details details;
    ObjectReader reader(fields, details);
    const bool hasName = reader.has("name");
    const Field<std::string> name = hasName ? reader.text("name", {MAX_NAME, true}) : Field<std::string>();
    const Field<std::string> email = readEmail(reader);
    details.throwIfAny();
    Rows& row = selectSuppliers(transaction, SUPPLIER_OF_ID_FOR_UPDATE, {{id}});
    if (!row.next())
        throw noSuchSupplier(id);
    const Supplier before = supplierOf(row);
    Supplier after = before;
    if (hasName)
        after.name = *name.value;
    if (email.present)
        after.email = email.value;
    setProfile(transaction, before, after, actor);
    if (before.isSandbox() || after.name == before.name)
        return after;
    // Locked behind the live one, as by addSandbox(). One that was given a name of its own keeps it.
    const auto sandbox = findSandbox(transaction, id);
    if (sandbox && sandbox->name == sandboxName(before.name)) {
        Supplier renamed = *sandbox;
        renamed.name = sandboxName(after.name);
        setProfile(transaction, *sandbox, renamed, actor);
    }
    return after;
}

void AccountStore::setProfile(Transaction& transaction, const Supplier& before, const Supplier& after,
                              const Actor& actor) {
    AuditEntry entry = auditEntry(actor, "supplier", "update", before.id, before.id);
    JsonWriter was(entry.before);
    JsonWriter is(entry.after);
    was.beginObject();
    is.beginObject();
    if (after.name != before.name) {
        was.field("name", before.name);
        is.field("name", after.name);
    }
    if (after.email != before.email) {
        was.field("email", before.email);
        is.field("email", after.email);
    }
    was.endObject();
    is.endObject();
    if (after.name == before.name && after.email == before.email)
        return;
    transaction.execute(UPDATE_SUPPLIER, {after.name, after.email, after.id});
    _audit.record(transaction, entry);
}

Supplier AccountStore::setStatus(Transaction& transaction, std::int64_t id, std::string_view verb,
                                 std::string_view status, const Actor& actor) {
    bool isChanged = setOwnStatus(transaction, id, verb, status, actor);
    // Locked behind the live one, as by addSandbox().
    if (const auto sandbox = findSandbox(transaction, id))
        isChanged = setOwnStatus(transaction, sandbox->id, verb, status, actor) || isChanged;
    if (isChanged)
        ChangeLogStore::changeAccounts(transaction);
    return findSupplier(transaction, id).value();
}

bool AccountStore::setOwnStatus(Transaction& transaction, std::int64_t id, std::string_view verb,
                                std::string_view status, const Actor& actor) {
    Rows& row = transaction.query(LOCK_STATUS, {id});
    if (!row.next())
        throw noSuchSupplier(id);
    const std::string before(row.text(0));
    if (before == status)
        return false;
    transaction.execute(UPDATE_STATUS, {status, id});
    AuditEntry entry = auditEntry(actor, "supplier", verb, id, id);
    entry.before = statusJson(before);
    entry.after = statusJson(status);
    _audit.record(transaction, entry);
    return true;
}

Supplier AccountStore::addSandbox(Transaction& transaction, std::int64_t supplierId, const Actor& actor) {
    // Who else adds one, or suspends the supplier, waits here.
    if (!transaction.query(LOCK_STATUS, {supplierId}).next())
        throw noSuchSupplier(supplierId);
    const Supplier live = findSupplier(transaction, supplierId).value();
    if (live.isSandbox())
        throw ApiError::conflict("This is the sandbox of supplier " + std::to_string(*live.sandboxOf) +
                                 ", and has none itself");
    if (auto sandbox = findSandbox(transaction, supplierId))
        return *sandbox;
    if (live.status == SUSPENDED)
        throw ApiError::conflict("This supplier is suspended; verify it first");
    Supplier sandbox = live;
    sandbox.name = sandboxName(live.name);
    sandbox.status = VERIFIED; // so that a supplier can try the API before it is let in
    sandbox.sandboxOf = supplierId;
    return insertSupplier(transaction, sandbox, actor);
}

std::optional<Supplier> AccountStore::findSandbox(SqlSession& session, std::int64_t supplierId) {
    Rows& row = selectSuppliers(session, SANDBOX_OF_SUPPLIER, {{supplierId}});
    return row.next() ? std::optional(supplierOf(row)) : std::nullopt;
}

std::vector<std::int64_t> AccountStore::sandboxes(SqlSession& session) {
    std::vector<std::int64_t> ids;
    Rows& rows = session.query(SELECT_SANDBOX_IDS);
    while (rows.next())
        ids.push_back(rows.integer(0));
    return ids;
}

} // namespace supplierd::host
