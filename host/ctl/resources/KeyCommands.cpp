#include "host/auth/ApiKeyStore.h"
#include "host/ctl/resources/AuditFields.h"
#include "host/ctl/resources/IdArgument.h"
#include "host/ctl/resources/KeyArgument.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <supplierd/Query.h>
#include <supplierd/Validation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace supplierd::host {
namespace {

constexpr std::string_view SUPPLIER_EXISTS = R"sql(
SELECT 1 FROM suppliers WHERE id = ?
)sql";

constexpr std::string_view SELECT_REVOCATION = R"sql(
SELECT revoked_at FROM api_keys WHERE id = ?
)sql";

constexpr std::string_view IS_PAST = R"sql(
SELECT CAST(? AS DATETIME(6)) <= NOW(6)
)sql";

constexpr std::size_t MAX_NAME = 255;
constexpr std::int64_t MAX_GRACE = 10'000;

struct KeyOptions {
    NewApiKey key;
    std::string expiresAt;
};

void checkOptions(KeyOptions& options) {
    if (!isValidUtf8(options.key.name) || codePoints(options.key.name) > MAX_NAME)
        throw CommandFailure("the name must have at most 255 characters of valid UTF-8", ExitCode::Usage);
    if (options.expiresAt.empty())
        return;
    Details details;
    const QueryParameters parameters = {{"expires-at", options.expiresAt}};
    options.key.expiresAt = QueryReader(parameters, details).time("expires-at");
    if (!options.key.expiresAt)
        throw CommandFailure("--expires-at needs a time with a zone, such as 2027-01-31T00:00:00Z", ExitCode::Usage);
}

/// By the database's clock, which decides when a key ends.
void refusePast(SqlSession& session, const KeyOptions& options) {
    if (!options.key.expiresAt)
        return;
    auto& row = session.query(IS_PAST, {*options.key.expiresAt});
    if (row.next() && row.boolean(0))
        throw CommandFailure("--expires-at " + options.expiresAt + " is past: the key would never work",
                             ExitCode::Usage);
}

/// "2027-01-31 00:00:00.000000" → "2027-01-31T00:00:00Z"
std::string isoTime(std::string_view utc) {
    constexpr std::size_t DATE = 10;
    constexpr std::size_t CLOCK = 8;
    return fmt::format("{}T{}Z", utc.substr(0, DATE), utc.substr(DATE + 1, CLOCK));
}

/// A key that names none has them all.
void writeScopes(JsonWriter& json, const std::vector<std::string>& scopes) {
    json.key("scopes").beginArray();
    for (const auto& scope : scopes.empty() ? ApiKeyStore().knownScopes() : scopes)
        json.value(scope);
    json.endArray();
}

std::string makeUp(const IssuedApiKey& issued, const KeyOptions& options) {
    return auditFields([&](JsonWriter& json) {
        json.field("prefix", issued.prefix).field("name", options.key.name);
        json.field("hourly_limit", options.key.hourlyLimit);
        if (options.key.supplierId != 0) // an operator's key has none
            writeScopes(json, options.key.scopes);
        json.key("expires_at");
        if (options.key.expiresAt)
            json.value(isoTime(*options.key.expiresAt));
        else
            json.null();
    });
}

void createKey(ControlContext& context, KeyOptions options) {
    checkOptions(options);
    ApiKeyStore store;
    IssuedApiKey issued;
    context.database().withTransaction([&](Transaction& transaction) {
        refusePast(transaction, options);
        issued = store.issue(transaction, options.key);
        const auto supplierId = options.key.supplierId;
        context.record(transaction, {.action = "key.create",
                                     .object = "key",
                                     .objectId = issued.id,
                                     .supplierId = supplierId == 0 ? std::nullopt : std::optional(supplierId),
                                     .after = makeUp(issued, options)});
    });
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.key("key").beginObject();
            json.field("id", issued.id).field("prefix", issued.prefix).field("name", options.key.name);
            json.field("secret", issued.secret).endObject();
        });
        return;
    }
    context.out() << issued.secret << std::endl;
    context.hints() << "This key is shown only now; the server keeps nothing that could restore it.\n";
}

Listing describeKeys(const std::vector<ApiKeyRow>& keys) {
    Listing listing({{"id", "ID", Listing::Kind::Integer},
                     {"prefix", "KEY"},
                     {"supplier_id", "SUPPLIER", Listing::Kind::Integer},
                     {"name", "NAME"},
                     {"hourly_limit", "LIMIT", Listing::Kind::Integer},
                     {"scopes", "SCOPES"},
                     {"expires_at", "EXPIRES"},
                     {"last_used_at", "LAST USED"},
                     {"last_used_from", "FROM"},
                     {"revoked_at", "REVOKED"},
                     {"created_at", "CREATED"}});
    for (const auto& key : keys)
        listing.add({std::to_string(key.id), key.prefix,
                     key.kind == KeyKind::Operator ? std::nullopt : std::optional(std::to_string(key.supplierId)),
                     key.name, key.hourlyLimit ? std::optional(std::to_string(*key.hourlyLimit)) : std::nullopt,
                     key.scopes.empty() ? "all" : key.scopes, key.expiresAt, key.lastUsedAt, key.lastUsedFrom,
                     key.revokedAt, key.createdAt});
    return listing;
}

void listKeys(ControlContext& context, std::int64_t supplierId) {
    const ApiKeyStore store;
    std::vector<ApiKeyRow> keys;
    context.database().withSnapshot([&](SqlSession& session) {
        if (supplierId != 0 && !session.query(SUPPLIER_EXISTS, {supplierId}).next())
            throw CommandFailure(fmt::format("there is no supplier {}; see `supplierctl supplier list`", supplierId));
        keys = store.list(session, supplierId);
    });
    context.printListing("keys", describeKeys(keys), "There are no keys.");
}

std::string revocationFields(SqlSession& session, std::int64_t id) {
    auto& row = session.query(SELECT_REVOCATION, {id});
    row.next();
    return auditFields([&](JsonWriter& json) {
        json.key("revoked_at");
        if (row.isNull(0))
            json.null();
        else
            json.value(row.time(0));
    });
}

void revoke(ControlContext& context, Transaction& transaction, const FoundKey& key) {
    if (key.isRevoked)
        return;
    AuditEntry entry{.action = "key.revoke",
                     .object = "key",
                     .objectId = key.id,
                     .supplierId = key.supplierId,
                     .before = revocationFields(transaction, key.id)};
    ApiKeyStore().revoke(transaction, key.id);
    entry.after = revocationFields(transaction, key.id);
    context.record(transaction, std::move(entry));
}

void revokeKey(ControlContext& context, const std::string& named, KeyKind kind) {
    const KeyName name = readKeyName(named, kind);
    std::int64_t id = 0;
    context.database().withTransaction([&](Transaction& transaction) {
        const auto key = findKey(transaction, name, kind);
        revoke(context, transaction, key);
        id = key.id;
    });
    Listing listing({{"id", "ID", Listing::Kind::Integer}, {"revoked", "REVOKED", Listing::Kind::Boolean}});
    listing.add({std::to_string(id), "true"});
    context.printOne("key", listing, fmt::format("key {} is revoked; the servers know within 2 seconds", named));
}

struct Rotation {
    std::string named;
    std::string grace = "24h";
};

/// "24h" as "90m", "30d"; 0 ends the old key at once.
std::int64_t readGrace(const std::string& given) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(given.data() + given.size() - end));
    const std::map<std::string_view, std::int64_t> seconds = {{"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}};
    const auto found = seconds.find(unit);
    const bool isZero = given == "0";
    if (!isZero && (error != std::errc{} || number < 0 || number > MAX_GRACE || found == seconds.end()))
        throw CommandFailure("--grace needs a time such as 90m, 24h or 7d", ExitCode::Usage);
    return isZero ? 0 : number * found->second;
}

std::string expiryFields(const std::optional<std::string>& expiresAt) {
    return auditFields([&](JsonWriter& json) { json.field("expires_at", expiresAt); });
}

/// The same in all but its secret.
KeyOptions sameAs(const ApiKeyRow& row) {
    KeyOptions options;
    options.key.supplierId = row.supplierId;
    options.key.name = row.name;
    options.key.hourlyLimit = row.hourlyLimit;
    options.expiresAt = row.expiresAt.value_or("");
    std::istringstream scopes(row.scopes);
    for (std::string scope; scopes >> scope;)
        options.key.scopes.push_back(scope);
    checkOptions(options);
    return options;
}

struct RotatedKey {
    ApiKeyRow before;
    IssuedApiKey issued;
    std::optional<std::string> validUntil;
};

RotatedKey rotate(ControlContext& context, Transaction& transaction, std::int64_t id, std::int64_t graceSeconds) {
    ApiKeyStore store;
    RotatedKey rotated;
    rotated.before = store.find(transaction, id).value();
    const auto options = sameAs(rotated.before);
    if (rotated.before.revokedAt)
        throw CommandFailure(fmt::format("key {} is revoked; make another one instead", rotated.before.prefix));
    refusePast(transaction, options);
    rotated.issued = store.issue(transaction, options.key);
    store.endWithin(transaction, id, graceSeconds);
    rotated.validUntil = store.find(transaction, id).value().expiresAt;
    const auto supplierId =
        options.key.supplierId == 0 ? std::nullopt : std::optional<std::int64_t>(options.key.supplierId);
    context.record(transaction, {.action = "key.create",
                                 .object = "key",
                                 .objectId = rotated.issued.id,
                                 .supplierId = supplierId,
                                 .after = makeUp(rotated.issued, options)});
    context.record(transaction, {.action = "key.rotate",
                                 .object = "key",
                                 .objectId = id,
                                 .supplierId = supplierId,
                                 .before = expiryFields(rotated.before.expiresAt),
                                 .after = expiryFields(rotated.validUntil)});
    return rotated;
}

void rotateKey(ControlContext& context, const Rotation& rotation, KeyKind kind) {
    const KeyName name = readKeyName(rotation.named, kind);
    const auto grace = readGrace(rotation.grace);
    RotatedKey rotated;
    context.database().withTransaction([&](Transaction& transaction) {
        rotated = rotate(context, transaction, findKey(transaction, name, kind).id, grace);
    });
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.key("key").beginObject();
            json.field("id", rotated.issued.id).field("prefix", rotated.issued.prefix);
            json.field("name", rotated.before.name).field("expires_at", rotated.before.expiresAt);
            json.field("secret", rotated.issued.secret).endObject();
            json.key("replaced").beginObject().field("id", rotated.before.id).field("prefix", rotated.before.prefix);
            json.field("valid_until", rotated.validUntil).endObject();
        });
        return;
    }
    context.out() << rotated.issued.secret << std::endl;
    context.hints() << fmt::format("This key is shown only now. The former one, {}..., is refused from {} on.\n",
                                   rotated.before.prefix, rotated.validUntil.value_or("now"));
    // One that was rotated before has the end of its grace, which nobody wants for the key that is to replace it.
    if (rotated.before.expiresAt)
        context.hints() << fmt::format(
            "It itself is refused from {} on, as {}... was already; `supplierctl {} create` makes "
            "one with another end, or none.\n",
            *rotated.before.expiresAt, rotated.before.prefix, kind == KeyKind::Operator ? "operator-key" : "key");
}

void addRotateCommand(CLI::App& group, ControlContext& context, KeyKind kind) {
    auto rotation = std::make_shared<Rotation>();
    auto* rotate = group.add_subcommand("rotate", "Make a key that replaces another one, and print it, once");
    rotate->add_option("KEY", rotation->named, "Its id or its first 11 characters, as `list` shows them")->required();
    rotate->add_option("--grace", rotation->grace, "How long the former key goes on working; 0: not at all")
        ->capture_default_str();
    rotate->callback([&context, rotation, kind] { rotateKey(context, *rotation, kind); });
}

CLI::App* addCreateCommand(CLI::App& group, ControlContext& context, const std::shared_ptr<KeyOptions>& options) {
    auto* create = group.add_subcommand("create", "Create a key and print it, once, on standard output");
    create->add_option("--name", options->key.name, "What it is for");
    create->add_option("--hourly-limit", options->key.hourlyLimit, "Requests an hour, instead of the server's limit")
        ->check(CLI::Range(1, 1'000'000'000));
    create->add_option("--expires-at", options->expiresAt, "From when on it is refused: 2027-01-31T00:00:00Z");
    create->callback([&context, options] { createKey(context, *options); });
    return create;
}

void addRevokeCommand(CLI::App& group, ControlContext& context, KeyKind kind) {
    auto named = std::make_shared<std::string>();
    auto* revoke = group.add_subcommand("revoke", "Refuse a key from now on");
    revoke->add_option("KEY", *named, "Its id or its first 11 characters, as `list` shows them")->required();
    revoke->callback([&context, named, kind] { revokeKey(context, *named, kind); });
}

} // namespace

void addKeyCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("key", "Suppliers' API keys: create, list, rotate, revoke");
    group->require_subcommand(1);

    auto options = std::make_shared<KeyOptions>();
    auto* create = addCreateCommand(*group, context, options);
    create->add_option("SUPPLIER", options->key.supplierId, "The supplier's id")->required()->check(idOf("supplier"));
    create->add_option("--scope", options->key.scopes, "What the key may do; may be given several times (default: all)")
        ->check(CLI::IsMember(ApiKeyStore().knownScopes()));

    auto supplierId = std::make_shared<std::int64_t>(0);
    auto* list = group->add_subcommand("list", "List a supplier's keys");
    list->add_option("SUPPLIER", *supplierId, "The supplier's id")->required()->check(idOf("supplier"));
    list->callback([&context, supplierId] { listKeys(context, *supplierId); });

    addRotateCommand(*group, context, KeyKind::Supplier);
    addRevokeCommand(*group, context, KeyKind::Supplier);
}

void addOperatorKeyCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("operator-key", "Operators' API keys: create, list, rotate, revoke");
    group->require_subcommand(1);
    addCreateCommand(*group, context, std::make_shared<KeyOptions>());
    group->add_subcommand("list", "List the operators' keys")->callback([&context] { listKeys(context, 0); });
    addRotateCommand(*group, context, KeyKind::Operator);
    addRevokeCommand(*group, context, KeyKind::Operator);
}

} // namespace supplierd::host
