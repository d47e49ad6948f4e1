#include "Suppliers.h"

#include "Pagination.h"

#include <supplierd/Validation.h>

#include <array>
#include <vector>

namespace supplierd::platform {

namespace {

constexpr std::size_t MAX_NAME = 255;
constexpr std::size_t MAX_EMAIL = 255;
constexpr std::size_t MAX_SEARCH = 100;
constexpr std::array<std::string_view, 3> STATUSES{"unverified", "verified", "suspended"};

constexpr std::string_view COLUMNS = "SELECT s.id, s.name, s.email, s.status, s.created_at FROM suppliers s WHERE ";

// A marketplace has thousands of suppliers, not millions: one pass counts them, and no second copy of the truth is
// kept.
constexpr std::string_view COUNT = "SELECT COUNT(*) FROM suppliers s WHERE ";
constexpr std::string_view EVERY = "s.id > 0";
constexpr std::string_view OF_STATUS = " AND s.status = ?";
constexpr std::string_view MATCHING = " AND (s.name LIKE ? ESCAPE '|' OR s.email LIKE ? ESCAPE '|')";
constexpr std::string_view NEWEST_FIRST = " ORDER BY s.id DESC LIMIT ? OFFSET ?";

constexpr std::string_view SELECT_SUPPLIER = R"(
SELECT id, name, email, status, created_at FROM suppliers WHERE id = ?)";

constexpr std::string_view LOCK_SUPPLIER = "SELECT status FROM suppliers WHERE id = ? FOR UPDATE";

constexpr std::string_view INSERT_SUPPLIER = "INSERT INTO suppliers (name, email, status) VALUES (?, ?, ?)";

constexpr std::string_view INSERT_STATE = "INSERT INTO supplier_state (supplier_id) VALUES (?)";

constexpr std::string_view UPDATE_STATUS = "UPDATE suppliers SET status = ? WHERE id = ?";

ApiError noSuchSupplier() {
    return ApiError::notFound("Supplier not found");
}

std::string containing(std::string_view search) {
    std::string pattern = "%";
    for (const char c : search) {
        if (c == '%' || c == '_' || c == '|')
            pattern += '|';
        pattern += c;
    }
    return pattern += '%';
}

void writeSupplier(JsonWriter& json, const Rows& row) {
    json.beginObject();
    json.field("id", row.integer(0));
    json.field("name", row.text(1));
    json.field("email", row.maybeText(2));
    json.field("status", row.text(3));
    json.field("created_at", row.time(4));
    json.endObject();
}

Response answer(Request& request, SqlSession& session, std::int64_t id, int status) {
    Rows& row = session.query(SELECT_SUPPLIER, {id});
    if (!row.next())
        throw noSuchSupplier();
    Response response = request.reply(status);
    JsonWriter json(response.data);
    json.beginObject().key("supplier");
    writeSupplier(json, row);
    json.endObject();
    return response;
}

std::string statusJson(std::string_view status) {
    std::string text;
    JsonWriter(text).beginObject().field("status", status).endObject();
    return text;
}

} // namespace

Response Suppliers::list(Request& request) const {
    Details details;
    QueryReader reader(request.query(), details);
    const Page page = reader.page();
    const auto status = reader.oneOf("status", STATUSES);
    const auto search = reader.text("search", MAX_SEARCH);
    details.throwIfAny();

    const std::string pattern = containing(search.value_or(""));
    std::string condition(EVERY);
    std::vector<SqlParam> params;
    if (status) {
        condition += OF_STATUS;
        params.emplace_back(*status);
    }
    if (search) {
        condition += MATCHING;
        params.emplace_back(pattern);
        params.emplace_back(pattern);
    }
    std::vector<SqlParam> pageParams = params;
    pageParams.emplace_back(page.perPage);
    pageParams.emplace_back(page.offset());

    Response response = request.reply();
    request.database().withSnapshot([&](SqlSession& session) {
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("suppliers").beginArray();
        Rows& rows = session.query(std::string(COLUMNS) + condition + std::string(NEWEST_FIRST), SqlParams(pageParams));
        while (rows.next())
            writeSupplier(json, rows);
        json.endArray();
        Rows& count = session.query(std::string(COUNT) + condition, SqlParams(params));
        writePagination(json, page, count.next() ? count.integer(0) : 0);
        json.endObject();
    });
    return response;
}

Response Suppliers::read(Request& request) const {
    return request.database().read(
        [&](SqlSession& session) { return answer(request, session, request.pathInteger("id"), 200); });
}

Response Suppliers::create(Request& request) const {
    Details details;
    ObjectReader reader(request.body(), details);
    const Field<std::string> name = reader.text("name", {MAX_NAME, true});
    const Field<std::string> email = reader.text("email", {MAX_EMAIL});
    if (email.hasValue() && !looksLikeEmail(*email.value))
        details.add("email", "type", "email must be an e-mail address");
    const std::string status = reader.oneOf("status", STATUSES).valueOr(std::string(STATUSES.front()));
    details.throwIfAny();
    return request.transact([&](Transaction& transaction) {
        transaction.execute(INSERT_SUPPLIER, {*name.value, email.value, status});
        const std::int64_t id = transaction.lastInsertId();
        transaction.execute(INSERT_STATE, {id});
        AuditEntry entry = auditEntry(actorOf(request), "supplier", "create", id, id);
        JsonWriter(entry.after)
            .beginObject()
            .field("name", *name.value)
            .field("email", email.value)
            .field("status", status)
            .endObject();
        _services.audit->record(transaction, entry);
        Response response = answer(request, transaction, id, 201);
        response.header("Location", std::string(request.path()) + '/' + std::to_string(id));
        return response;
    });
}

Response Suppliers::setStatus(Request& request, std::string_view verb, std::string_view status) const {
    const std::int64_t id = request.pathInteger("id");
    return request.transact([&](Transaction& transaction) {
        Rows& row = transaction.query(LOCK_SUPPLIER, {id});
        if (!row.next())
            throw noSuchSupplier();
        const std::string before(row.text(0));
        if (before != status) {
            transaction.execute(UPDATE_STATUS, {status, id});
            AuditEntry entry = auditEntry(actorOf(request), "supplier", verb, id, id);
            entry.before = statusJson(before);
            entry.after = statusJson(status);
            _services.audit->record(transaction, entry);
        }
        return answer(request, transaction, id, 200);
    });
}

} // namespace supplierd::platform
