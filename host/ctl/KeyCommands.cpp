#include "host/auth/ApiKeyStore.h"
#include "host/ctl/CommandFailure.h"
#include "host/ctl/Commands.h"
#include "host/ctl/ControlContext.h"

#include <supplierd/Query.h>
#include <supplierd/Validation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>

namespace supplierd::host {
namespace {

constexpr std::string_view SELECT_KEY_BY_PREFIX = R"sql(
SELECT id FROM api_keys WHERE key_id = ? AND kind = ?
)sql";

constexpr std::string_view SELECT_KEY_BY_ID = R"sql(
SELECT id FROM api_keys WHERE id = ? AND kind = ?
)sql";

constexpr std::size_t PREFIX_LENGTH = 11; // "sk_ab12cd34"
constexpr std::size_t KIND_LENGTH = 3;
constexpr std::size_t MAX_NAME = 255;

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

void createKey(ControlContext& context, KeyOptions options) {
    checkOptions(options);
    ApiKeyStore store;
    IssuedApiKey issued;
    context.database().withTransaction(
        [&](Transaction& transaction) { issued = store.issue(transaction, options.key); });
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
                     {"revoked_at", "REVOKED"},
                     {"created_at", "CREATED"}});
    for (const auto& key : keys)
        listing.add({std::to_string(key.id), key.prefix,
                     key.kind == KeyKind::Operator ? std::nullopt : std::optional(std::to_string(key.supplierId)),
                     key.name, key.hourlyLimit ? std::optional(std::to_string(*key.hourlyLimit)) : std::nullopt,
                     key.scopes.empty() ? "all" : key.scopes, key.expiresAt, key.lastUsedAt, key.revokedAt,
                     key.createdAt});
    return listing;
}

void listKeys(ControlContext& context, std::int64_t supplierId) {
    const ApiKeyStore store;
    std::vector<ApiKeyRow> keys;
    context.database().withSession([&](SqlSession& session) { keys = store.list(session, supplierId); });
    context.printListing("keys", describeKeys(keys), "There are no keys.");
}

/// The row that the operator names by its id or by the shown part of the key; 0 when there is none.
std::int64_t findKey(SqlSession& session, const std::string& named, KeyKind kind) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(named.data(), named.data() + named.size(), id);
    const bool isNumber = error == std::errc{} && end == named.data() + named.size();
    auto& rows = isNumber ? session.query(SELECT_KEY_BY_ID, {id, keyKindName(kind)})
                          : session.query(SELECT_KEY_BY_PREFIX,
                                          {std::string_view(named).substr(KIND_LENGTH), keyKindName(kind)});
    const auto found = rows.next() ? rows.integer(0) : 0;
    while (rows.next()) {
    }
    return found;
}

void revokeKey(ControlContext& context, const std::string& named, KeyKind kind) {
    const bool isNumber =
        !named.empty() && std::all_of(named.begin(), named.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::string_view start = kind == KeyKind::Operator ? "ok_" : "sk_";
    if (!isNumber && (named.size() != PREFIX_LENGTH || !named.starts_with(start)))
        throw CommandFailure(fmt::format("name the key by its id or by its first {} characters ({}ab12cd34), never by "
                                         "the whole: arguments can be seen by everybody on this machine",
                                         PREFIX_LENGTH, start),
                             ExitCode::Usage);
    ApiKeyStore store;
    std::int64_t id = 0;
    context.database().withTransaction([&](Transaction& transaction) {
        id = findKey(transaction, named, kind);
        if (id != 0)
            store.revoke(transaction, id);
    });
    if (id == 0)
        throw CommandFailure(fmt::format("there is no {} key '{}'", keyKindName(kind), named));
    Listing listing({{"id", "ID", Listing::Kind::Integer}, {"revoked", "REVOKED", Listing::Kind::Boolean}});
    listing.add({std::to_string(id), "true"});
    context.printOne("key", listing, fmt::format("key {} is revoked; the servers know within 2 seconds", named));
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
    auto* group = program.add_subcommand("key", "Suppliers' API keys: create, list, revoke");
    group->require_subcommand(1);

    auto options = std::make_shared<KeyOptions>();
    auto* create = addCreateCommand(*group, context, options);
    create->add_option("SUPPLIER", options->key.supplierId, "The supplier's id")
        ->required()
        ->check(CLI::PositiveNumber);
    create->add_option("--scope", options->key.scopes, "What the key may do; may be given several times (default: all)")
        ->check(CLI::IsMember(ApiKeyStore().knownScopes()));

    auto supplierId = std::make_shared<std::int64_t>(0);
    auto* list = group->add_subcommand("list", "List a supplier's keys");
    list->add_option("SUPPLIER", *supplierId, "The supplier's id")->required()->check(CLI::PositiveNumber);
    list->callback([&context, supplierId] { listKeys(context, *supplierId); });

    addRevokeCommand(*group, context, KeyKind::Supplier);
}

void addOperatorKeyCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("operator-key", "Operators' API keys: create, list, revoke");
    group->require_subcommand(1);
    addCreateCommand(*group, context, std::make_shared<KeyOptions>());
    group->add_subcommand("list", "List the operators' keys")->callback([&context] { listKeys(context, 0); });
    addRevokeCommand(*group, context, KeyKind::Operator);
}

} // namespace supplierd::host
