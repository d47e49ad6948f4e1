#include "host/auth/AccountStore.h"

#include <supplierd/Cursor.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_KEY_NAME = 255;
constexpr std::int64_t MAX_HOURLY_LIMIT = 1'000'000'000;
constexpr std::size_t MAX_SCOPES = 100;
constexpr std::size_t MAX_TIME = 64;

constexpr std::string_view IS_PAST = R"sql(
SELECT CAST(? AS DATETIME(6)) <= NOW(6)
)sql";

constexpr std::string_view LOCK_OWNER = R"sql(
SELECT id FROM suppliers WHERE id = ? FOR UPDATE
)sql";

constexpr std::string_view COUNT_LIVE_KEYS = R"sql(
SELECT COUNT(*) FROM api_keys FORCE INDEX (api_keys_supplier)
WHERE supplier_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > NOW(6))
)sql";

/// By the database's clock, which decides when a key ends.
void refusePast(SqlSession& session, const std::string& utc, const std::string& field, Details& details) {
    Rows& row = session.query(IS_PAST, {utc});
    if (row.next() && row.boolean(0))
        details.add(field, "out_of_range", "expires_at must be in the future");
}

/// As a DATETIME(6) text.
std::optional<std::string> readTime(const std::string& text, const std::string& field, Details& details) {
    const QueryParameters parameters{{field, text}};
    return QueryReader(parameters, details).time(field);
}

std::optional<std::string> readExpiry(SqlSession& session, ObjectReader& reader) {
    const Field<std::string> given = reader.text("expires_at", {MAX_TIME});
    if (!given.hasValue())
        return std::nullopt;
    const std::string field = reader.path("expires_at");
    auto time = readTime(*given.value, field, reader.details());
    if (time)
        refusePast(session, *time, field, reader.details());
    return time;
}

/// Each scope once, in the order given. A key without any could do nothing, or, as the database reads it, everything.
std::vector<std::string> readScopes(ObjectReader& reader, const std::vector<std::string>& known) {
    std::vector<std::string> scopes;
    const std::optional<JsonArray> array = reader.array("scopes", MAX_SCOPES);
    if (!array)
        return scopes;
    Details& details = reader.details();
    if (array->empty())
        details.add("scopes", "required", "scopes must name at least one scope; leave it out for all of them");
    std::size_t i = 0;
    for (const JsonValue value : *array) {
        const std::string place = "scopes[" + std::to_string(i++) + "]";
        if (!value.isText()) {
            details.add(place, "type", place + " must be a text");
            continue;
        }
        const std::string scope(trimmed(value.text()));
        if (scope.empty()) {
            details.add(place, "required", place + " is required");
        } else if (std::find(known.begin(), known.end(), scope) == known.end()) {
            std::string all;
            for (const std::string& one : known)
                all += (all.empty() ? "" : ", ") + one;
            details.add(place, "not_in_set",
                        known.empty() ? place + ": no enabled plugin declares a scope"
                                      : place + " must be one of " + all + "; there is no '" + scope + "'");
        } else if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) {
            scopes.push_back(scope);
        }
    }
    return scopes;
}

/// What makes a key what it is. An operator's has no scopes.
std::string makeUpOf(const ApiKeyRecord& key) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().field("prefix", key.prefix).field("name", key.name).field("hourly_limit", key.hourlyLimit);
    if (key.supplierId) {
        json.key("scopes").beginArray();
        for (const std::string& scope : key.scopes)
            json.value(scope);
        json.endArray();
    }
    json.field("expires_at", key.expiresAt).endObject();
    return text;
}

std::string timeJson(std::string_view name, const std::optional<std::string>& time) {
    std::string text;
    JsonWriter(text).beginObject().field(name, time).endObject();
    return text;
}

ApiError noSuchKey(std::string_view name) {
    return ApiError::notFound("There is no key " + std::string(name));
}

/// What is shown of a key, without its beginning: "ab12cd34" of "sk_ab12cd34"; "" for any other text.
std::string_view publicPartOf(std::string_view name) {
    constexpr std::size_t LENGTH = 8;
    for (const auto kind : {KeyKind::Sandbox, KeyKind::Supplier, KeyKind::Operator}) {
        const auto scheme = keyScheme(kind);
        const auto part = name.substr(std::min(scheme.size(), name.size()));
        if (name.starts_with(scheme) && part.size() == LENGTH &&
            std::all_of(part.begin(), part.end(), [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; }))
            return part;
    }
    return {};
}

/// In seconds: "90m", "24h", "7d" or "0".
std::int64_t readGrace(ObjectReader& reader) {
    constexpr std::int64_t MOST = 10'000;
    constexpr std::array<std::pair<char, std::int64_t>, 4> UNITS{{{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}}};
    const std::string given = reader.text("grace", {MAX_TIME}).valueOr("24h");
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(given.data() + given.size() - end));
    const auto found = std::find_if(UNITS.begin(), UNITS.end(),
                                    [&](const auto& one) { return unit == std::string_view(&one.first, 1); });
    if (given == "0")
        return 0;
    if (error == std::errc{} && number >= 0 && number <= MOST && found != UNITS.end())
        return number * found->second;
    reader.details().add("grace", "type", "grace must be a time such as 90m, 24h or 7d");
    return 0;
}

} // namespace

Listed<ApiKeyRecord> AccountStore::keys(Database& database, std::int64_t supplierId, const QueryParameters& query) {
    const auto requireSupplier = [&](SqlSession& session) {
        if (supplierId != 0 && !findSupplier(session, supplierId))
            throw noSuchSupplier(supplierId);
    };
    Details details;
    QueryReader reader(query, details);
    ListFingerprint print;
    print.add(supplierId);
    const ListPage page = ListPage::read(reader, {.fingerprint = print.value(), .total = ListTotal::Counted});
    if (!details.empty()) // a supplier that is not there is 404, whatever the query says
        database.withSession(requireSupplier);
    details.throwIfAny();
    const ListStatements statements{.page = [&](SqlSession& session, const ListWindow& window) -> Rows& {
                                        requireSupplier(session);
                                        return _keys.select(session, supplierId, window);
                                    },
                                    .total = [&](SqlSession& session) { return _keys.count(session, supplierId); }};
    return page.select(database, statements, [this](const Rows& row) { return recordOf(ApiKeyStore::rowOf(row)); });
}

std::optional<ApiKeyRecord> AccountStore::findKey(SqlSession& session, std::int64_t id) {
    const auto row = _keys.find(session, id);
    return row ? std::optional(recordOf(*row)) : std::nullopt;
}

ApiKeyRecord AccountStore::requireKey(SqlSession& session, std::string_view name) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    const bool isId = error == std::errc{} && end == name.data() + name.size() && id > 0;
    const auto publicPart = publicPartOf(name);
    if (!isId && publicPart.empty())
        throw ApiError::validation(
            {{"key", "type", "name the key by its id or by its first characters (sk_ab12cd34), never by the whole"}});
    const auto row = isId ? _keys.find(session, id) : _keys.find(session, publicPart);
    if (!row || (!isId && row->key.prefix != name))
        throw noSuchKey(name);
    return recordOf(*row);
}

IssuedApiKey AccountStore::issueKey(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                                    const Actor& actor) {
    if (supplierId != 0 && !findSupplier(transaction, supplierId))
        throw noSuchSupplier(supplierId);
    Details details;
    ObjectReader reader(fields, details);
    NewApiKey key;
    key.supplierId = supplierId;
    key.name = reader.text("name", {MAX_KEY_NAME}).valueOr("");
    const bool isOwn = actor.kind == Actor::Kind::Supplier;
    key.hourlyLimit = reader.integer("hourly_limit", {1, isOwn ? _ownKeys.hourlyLimit : MAX_HOURLY_LIMIT}).value;
    if (supplierId != 0)
        key.scopes = readScopes(reader, _keys.knownScopes());
    key.expiresAt = readExpiry(transaction, reader);
    details.throwIfAny();
    if (isOwn)
        requireRoomForKey(transaction, supplierId);
    return issue(transaction, key, actor);
}

void AccountStore::requireRoomForKey(Transaction& transaction, std::int64_t supplierId) {
    transaction.query(LOCK_OWNER, {supplierId});
    Rows& row = transaction.query(COUNT_LIVE_KEYS, {supplierId});
    if (row.next() && row.integer(0) >= _ownKeys.live)
        throw ApiError::validation(
            {{"", "too_many", "A store has at most " + std::to_string(_ownKeys.live) + " keys: revoke one first"}});
}

IssuedApiKey AccountStore::issue(Transaction& transaction, const NewApiKey& key, const Actor& actor) {
    IssuedApiKey issued = _keys.issue(transaction, key);
    const ApiKeyRecord record = findKey(transaction, issued.id).value();
    AuditEntry entry = auditEntry(actor, "key", "create", record.id, record.supplierId);
    entry.after = makeUpOf(record);
    _audit.record(transaction, entry);
    return issued;
}

ApiKeyRecord AccountStore::revokeKey(Transaction& transaction, std::int64_t id, const Actor& actor) {
    const auto before = _keys.lock(transaction, id);
    if (!before)
        throw noSuchKey(std::to_string(id));
    if (actor.kind == Actor::Kind::Operator && before->key.prefix == actor.name)
        throw ApiError::conflict("This is the key that asks; revoke it with another operator's key, or with "
                                 "`supplierctl operator-key revoke`");
    if (before->key.revokedAt)
        return recordOf(*before);
    if (before->kind == KeyKind::Supplier) // who follows the change log is told
        transaction.change(before->key.supplierId.value()).note(ChangeKind::KEY_REVOKED, id);
    _keys.revoke(transaction, id);
    ApiKeyRecord revoked = findKey(transaction, id).value();
    AuditEntry entry = auditEntry(actor, "key", "revoke", id, revoked.supplierId);
    entry.before = timeJson("revoked_at", std::nullopt);
    entry.after = timeJson("revoked_at", revoked.revokedAt);
    _audit.record(transaction, entry);
    return revoked;
}

RotatedApiKey AccountStore::rotateKey(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                                      const Actor& actor) {
    Details details;
    ObjectReader reader(fields, details);
    const std::int64_t grace = readGrace(reader);
    const auto before = _keys.lock(transaction, id);
    if (!before)
        throw noSuchKey(std::to_string(id));
    if (before->key.revokedAt)
        throw ApiError::conflict("Key " + before->key.prefix + " is revoked; make another one instead");
    NewApiKey key;
    key.supplierId = before->key.supplierId.value_or(0);
    key.name = before->key.name;
    key.hourlyLimit = before->key.hourlyLimit;
    key.scopes = before->key.scopes;
    if (before->key.expiresAt) {
        key.expiresAt = readTime(*before->key.expiresAt, "expires_at", details);
        refusePast(transaction, key.expiresAt.value(), "expires_at", details);
    }
    details.throwIfAny();
    RotatedApiKey rotated;
    rotated.issued = issue(transaction, key, actor);
    _keys.endWithin(transaction, id, grace);
    rotated.replaced = findKey(transaction, id).value();
    AuditEntry entry = auditEntry(actor, "key", "rotate", id, rotated.replaced.supplierId);
    entry.before = timeJson("expires_at", before->key.expiresAt);
    entry.after = timeJson("expires_at", rotated.replaced.expiresAt);
    _audit.record(transaction, entry);
    return rotated;
}

ApiKeyRecord AccountStore::recordOf(const ApiKeyRow& row) const {
    ApiKeyRecord key = row.key;
    if (key.scopes.empty() && key.supplierId) // none named: all
        key.scopes = _keys.knownScopes();
    return key;
}

} // namespace supplierd::host
