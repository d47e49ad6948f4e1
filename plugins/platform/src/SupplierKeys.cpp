#include "SupplierKeys.h"

#include "KeyInput.h"
#include "Pagination.h"

namespace supplierd::platform {

namespace {

constexpr std::string_view SELECT_OF_SUPPLIER = R"(
SELECT id, kind, key_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at, supplier_id
FROM api_keys FORCE INDEX (api_keys_supplier)
WHERE supplier_id = ?
ORDER BY id DESC
LIMIT ? OFFSET ?)";

constexpr std::string_view COUNT_OF_SUPPLIER =
    "SELECT COUNT(*) FROM api_keys FORCE INDEX (api_keys_supplier) WHERE supplier_id = ?";

constexpr std::string_view SELECT_KEY = R"(
SELECT id, kind, key_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at, supplier_id
FROM api_keys WHERE id = ?)";

constexpr std::string_view LOCK_KEY = R"(
SELECT id, kind, key_id, name, hourly_limit, scopes, expires_at, last_used_at, revoked_at, created_at, supplier_id
FROM api_keys WHERE id = ? FOR UPDATE)";

enum Column : std::size_t {
    Id,
    Kind,
    KeyId,
    Name,
    HourlyLimit,
    Scopes,
    ExpiresAt,
    LastUsedAt,
    RevokedAt,
    CreatedAt,
    SupplierId
};

constexpr std::string_view SUPPLIER_EXISTS = "SELECT 1 FROM suppliers WHERE id = ?";

void requireSupplier(SqlSession& session, std::int64_t id) {
    if (!session.query(SUPPLIER_EXISTS, {id}).next())
        throw ApiError::notFound("Supplier not found");
}

ApiError noSuchKey() {
    return ApiError::notFound("Key not found");
}

void timeOrNull(JsonWriter& json, std::string_view name, const Rows& row, std::size_t column) {
    json.key(name);
    if (row.isNull(column))
        json.null();
    else
        json.value(row.time(column));
}

bool isOperators(const Rows& row) {
    return row.text(Kind) == "operator";
}

/// A supplier's key that has no list of scopes has them all; an operator's key has none.
void writeScopes(JsonWriter& json, const Rows& row, const std::vector<std::string>& known) {
    json.key("scopes").beginArray();
    std::string_view rest = row.text(Scopes);
    if (rest.empty() && !isOperators(row))
        for (const std::string& scope : known)
            json.value(scope);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        json.value(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    json.endArray();
}

/// What makes a key what it is: for the audit log, and the first fields of an answer.
void writeMakeUp(JsonWriter& json, const Rows& row, const std::vector<std::string>& known) {
    json.field("prefix", (isOperators(row) ? "ok_" : "sk_") + std::string(row.text(KeyId)));
    json.field("name", row.text(Name));
    json.field("hourly_limit", row.maybeInteger(HourlyLimit));
    writeScopes(json, row, known);
    timeOrNull(json, "expires_at", row, ExpiresAt);
}

/// Into an object that the caller opened and closes.
void writeKey(JsonWriter& json, const Rows& row, const std::vector<std::string>& known) {
    json.field("id", row.integer(Id));
    writeMakeUp(json, row, known);
    timeOrNull(json, "last_used_at", row, LastUsedAt);
    timeOrNull(json, "revoked_at", row, RevokedAt);
    timeOrNull(json, "created_at", row, CreatedAt);
}

std::string revocationJson(const Rows& row) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    timeOrNull(json, "revoked_at", row, RevokedAt);
    json.endObject();
    return text;
}

} // namespace

Response SupplierKeys::list(Request& request) const {
    const std::int64_t supplierId = request.pathInteger("id");
    Details details;
    const Page page = QueryReader(request.query(), details).page();
    Response response = request.reply();
    request.database().withSnapshot([&](SqlSession& session) {
        requireSupplier(session, supplierId); // one that is not there is 404, whatever the query says
        details.throwIfAny();
        response.data.clear();
        JsonWriter json(response.data);
        json.beginObject().key("keys").beginArray();
        Rows& rows = session.query(SELECT_OF_SUPPLIER, {supplierId, page.perPage, page.offset()});
        while (rows.next()) {
            json.beginObject();
            writeKey(json, rows, _services.keys->knownScopes());
            json.endObject();
        }
        json.endArray();
        Rows& count = session.query(COUNT_OF_SUPPLIER, {supplierId});
        writePagination(json, page, count.next() ? count.integer(0) : 0);
        json.endObject();
    });
    return response;
}

Response SupplierKeys::create(Request& request) const {
    const std::int64_t supplierId = request.pathInteger("id");
    const auto& known = _services.keys->knownScopes();
    Details details;
    const NewApiKey wanted = readNewKey(request.body(), supplierId, known, details);
    if (!details.empty()) // a supplier that is not there is 404, whatever the body says
        request.database().withSession([&](SqlSession& session) { requireSupplier(session, supplierId); });
    details.throwIfAny();
    return request.transact([&](Transaction& transaction) {
        requireSupplier(transaction, supplierId);
        const IssuedApiKey issued = _services.keys->issue(transaction, wanted);
        Response response = request.reply(201);
        response.secret = true;
        AuditEntry entry = auditEntry(actorOf(request), "key", "create", issued.id, supplierId);
        Rows& row = transaction.query(SELECT_KEY, {issued.id});
        if (!row.next())
            throw noSuchKey();
        JsonWriter json(response.data);
        json.beginObject().key("key").beginObject();
        writeKey(json, row, known);
        json.field("secret", issued.secret).endObject().endObject();
        JsonWriter after(entry.after);
        after.beginObject();
        writeMakeUp(after, row, known);
        after.endObject();
        _services.audit->record(transaction, entry);
        return response;
    });
}

Response SupplierKeys::revoke(Request& request) const {
    const std::int64_t id = request.pathInteger("id");
    return request.transact([&](Transaction& transaction) {
        Rows& row = transaction.query(LOCK_KEY, {id});
        if (!row.next())
            throw noSuchKey();
        if (id == request.principal().keyId)
            throw ApiError::conflict("This is the key that asks; revoke it with another operator's key, or with "
                                     "`supplierctl operator-key revoke`");
        const bool wasValid = row.isNull(RevokedAt);
        AuditEntry entry = auditEntry(actorOf(request), "key", "revoke", id, row.maybeInteger(SupplierId));
        entry.before = revocationJson(row);
        _services.keys->revoke(transaction, id);

        Rows& now = transaction.query(SELECT_KEY, {id});
        if (!now.next())
            throw noSuchKey();
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("key").beginObject();
        writeKey(json, now, _services.keys->knownScopes());
        json.endObject().endObject();
        entry.after = revocationJson(now);
        if (wasValid)
            _services.audit->record(transaction, entry);
        return response;
    });
}

} // namespace supplierd::platform
