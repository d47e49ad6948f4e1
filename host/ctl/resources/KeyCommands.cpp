#include "host/auth/AccountStore.h"
#include "host/auth/ApiKeyStore.h"
#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/Validation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

namespace {

/// A key as the operator names it: by its id, or by the shown part of the key.
struct KeyName {
    std::string given;
    std::int64_t id = 0; ///< 0: by the shown part

    std::string_view publicPart() const { return std::string_view(given).substr(given.rfind('_') + 1); }
};

constexpr std::size_t PUBLIC_LENGTH = 8;

bool isShownPart(std::string_view text) {
    const auto isShown = [&](KeyKind kind) {
        const auto scheme = keyScheme(kind);
        return text.starts_with(scheme) && text.size() == scheme.size() + PUBLIC_LENGTH &&
               std::all_of(text.begin() + static_cast<std::ptrdiff_t>(scheme.size()), text.end(), [](char c) {
                   return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
               });
    };
    return isShown(KeyKind::Supplier) || isShown(KeyKind::Operator) || isShown(KeyKind::Sandbox);
}

/// Whose commands manage it: a sandbox's keys are a supplier's.
bool isOperators(KeyKind kind) {
    return kind == KeyKind::Operator;
}

CommandFailure noSuchKey(const KeyName& name, KeyKind kind) {
    const auto what = name.id != 0 ? fmt::format("with the id {}", name.given) : fmt::format("'{}...'", name.given);
    if (kind == KeyKind::Operator)
        return CommandFailure(fmt::format("there is no key {}; see `supplierctl operator-key list`", what));
    return CommandFailure(fmt::format("there is no key {}; see `supplierctl key list SUPPLIER`", what));
}

CommandFailure keyOfOtherKind(const KeyName& name, KeyKind kind) {
    return CommandFailure(fmt::format("key {0} is {1}; run: supplierctl {2} revoke {0}", name.given,
                                      isOperators(kind) ? "an operator's" : "a supplier's",
                                      isOperators(kind) ? "operator-key" : "key"));
}

/// Throws CommandFailure (Usage) for anything else, and never echoes it: it may be the whole key.
KeyName readKeyName(const std::string& given, KeyKind kind) {
    KeyName name{given};
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), name.id);
    if (error == std::errc{} && end == given.data() + given.size() && name.id > 0)
        return name;
    name.id = 0;
    if (isShownPart(given))
        return name;
    const std::string_view start = keyScheme(kind);
    // Never echoed: it may be the whole key.
    throw CommandFailure(fmt::format("name the key by its id or by its first characters ({}ab12cd34), never by the "
                                     "whole: arguments can be seen by everybody on this machine",
                                     start),
                         ExitCode::Usage);
}

/// The row, locked. Throws CommandFailure when there is none, or it belongs to the other command.
ApiKeyRow findKey(SqlSession& session, const KeyName& name, KeyKind kind) {
    const ApiKeyStore keys;
    const auto key = name.id != 0 ? keys.lock(session, name.id) : keys.lock(session, name.publicPart());
    if (!key || (name.id == 0 && name.given != key->prefix))
        throw noSuchKey(name, kind);
    if (isOperators(key->kind) != isOperators(kind))
        throw keyOfOtherKind(name, key->kind);
    return *key;
}

constexpr std::int64_t MAX_GRACE = 10'000;

struct KeyOptions {
    std::int64_t supplierId = 0; ///< 0: an operator's key
    std::string name;
    std::optional<std::int64_t> hourlyLimit;
    std::vector<std::string> scopes;
    std::string expiresAt;
};

JsonDocument fieldsOf(const KeyOptions& options) {
    std::string fields;
    JsonWriter json(fields);
    json.beginObject().field("name", options.name).field("hourly_limit", options.hourlyLimit);
    json.field("expires_at", options.expiresAt);
    if (!options.scopes.empty()) {
        json.key("scopes").beginArray();
        for (const auto& scope : options.scopes)
            json.value(scope);
        json.endArray();
    }
    json.endObject();
    return parseJsonObject(std::move(fields));
}

void createKey(ControlContext& context, const KeyOptions& options) {
    if (!isValidUtf8(options.name))
        throw CommandFailure("the name must be valid UTF-8", ExitCode::Usage);
    if (options.supplierId != 0)
        context.loadScopes();
    IssuedApiKey issued;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            issued = context.accounts().issueKey(transaction, options.supplierId, fieldsOf(options).object(),
                                                 context.actor());
        });
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::NotFound)
            throw noSuchSupplier(options.supplierId);
        if (error.kind() == ErrorKind::Validation)
            throw describeRefusal(error);
        throw;
    }
    if (context.json) {
        context.printJson([&](JsonWriter& json) {
            json.key("key").beginObject();
            json.field("id", issued.id).field("prefix", issued.prefix).field("name", options.name);
            json.field("secret", issued.secret).endObject();
        });
        return;
    }
    context.out() << issued.secret << std::endl;
    context.err() << "This key is shown only now; the server keeps nothing that could restore it.\n";
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
        if (supplierId != 0 && !context.accounts().findSupplier(session, supplierId))
            throw noSuchSupplier(supplierId);
        keys = store.list(session, supplierId);
    });
    context.printListing("keys", describeKeys(keys), "There are no keys.");
}

void revokeKey(ControlContext& context, const std::string& named, KeyKind kind) {
    const KeyName name = readKeyName(named, kind);
    std::int64_t id = 0;
    context.database().withTransaction([&](Transaction& transaction) {
        id = findKey(transaction, name, kind).id;
        context.accounts().revokeKey(transaction, id, context.actor());
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

void rotateKey(ControlContext& context, const Rotation& rotation, KeyKind kind) {
    const KeyName name = readKeyName(rotation.named, kind);
    const auto grace = readGrace(rotation.grace);
    if (kind == KeyKind::Supplier)
        context.loadScopes();
    AccountStore::RotatedKey rotated;
    try {
        context.database().withTransaction([&](Transaction& transaction) {
            const auto id = findKey(transaction, name, kind).id;
            rotated = context.accounts().rotateKey(transaction, id, grace, context.actor());
        });
    } catch (const ApiError& error) {
        if (error.kind() != ErrorKind::Validation)
            throw;
        throw describeRefusal(error);
    }
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
    context.err() << fmt::format("This key is shown only now. The former one, {}..., is refused from {} on.\n",
                                 rotated.before.prefix, rotated.validUntil.value_or("now"));
    // One that was rotated before has the end of its grace, which nobody wants for the key that is to replace it.
    if (rotated.before.expiresAt)
        context.err() << fmt::format(
            "It itself is refused from {} on, as {}... was already; `supplierctl {} create` makes "
            "one with another end, or none.\n",
            *rotated.before.expiresAt, rotated.before.prefix, isOperators(kind) ? "operator-key" : "key");
}

void addRotateCommand(CLI::App& group, ControlContext& context, KeyKind kind) {
    auto rotation = std::make_shared<Rotation>();
    auto* rotate = group.add_subcommand("rotate", "Make a key that replaces another one, and print it, once");
    rotate->add_option("KEY", rotation->named, "Its id or its first characters, as `list` shows them")->required();
    rotate->add_option("--grace", rotation->grace, "How long the former key goes on working; 0: not at all")
        ->capture_default_str();
    rotate->callback([&context, rotation, kind] { rotateKey(context, *rotation, kind); });
}

CLI::App* addCreateCommand(CLI::App& group, ControlContext& context, const std::shared_ptr<KeyOptions>& options) {
    auto* create = group.add_subcommand("create", "Create a key and print it, once, on standard output");
    create->add_option("--name", options->name, "What it is for");
    create->add_option("--hourly-limit", options->hourlyLimit, "Requests an hour, instead of the server's limit")
        ->check(CLI::Range(1, 1'000'000'000));
    create->add_option("--expires-at", options->expiresAt, "From when on it is refused: 2027-01-31T00:00:00Z");
    create->callback([&context, options] { createKey(context, *options); });
    return create;
}

void addRevokeCommand(CLI::App& group, ControlContext& context, KeyKind kind) {
    auto named = std::make_shared<std::string>();
    auto* revoke = group.add_subcommand("revoke", "Refuse a key from now on");
    revoke->add_option("KEY", *named, "Its id or its first characters, as `list` shows them")->required();
    revoke->callback([&context, named, kind] { revokeKey(context, *named, kind); });
}

} // namespace

void addKeyCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("key", "Suppliers' API keys: create, list, rotate, revoke");
    group->require_subcommand(1);

    auto options = std::make_shared<KeyOptions>();
    auto* create = addCreateCommand(*group, context, options);
    create->add_option("SUPPLIER", options->supplierId, "The supplier's id")->required()->check(idOf("supplier"));
    create->add_option("--scope", options->scopes,
                       "What the key may do, such as products:read; may be given several times (default: all)");

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
