#include "host/ctl/resources/KeyArgument.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace supplierd::host {
namespace {

constexpr std::string_view LOCK_KEY_BY_PREFIX = R"sql(
SELECT id, supplier_id, revoked_at, kind FROM api_keys WHERE key_id = ? FOR UPDATE
)sql";

constexpr std::string_view LOCK_KEY_BY_ID = R"sql(
SELECT id, supplier_id, revoked_at, kind FROM api_keys WHERE id = ? FOR UPDATE
)sql";

constexpr std::size_t PREFIX_LENGTH = 11; // "sk_ab12cd34"
constexpr std::size_t KIND_LENGTH = 3;

bool isShownPart(std::string_view text) {
    return text.size() == PREFIX_LENGTH && (text.starts_with("sk_") || text.starts_with("ok_")) &&
           std::all_of(text.begin() + KIND_LENGTH, text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
           });
}

CommandFailure noSuchKey(const KeyName& name, KeyKind kind) {
    const auto what = name.id != 0 ? fmt::format("with the id {}", name.given) : fmt::format("'{}...'", name.given);
    if (kind == KeyKind::Operator)
        return CommandFailure(fmt::format("there is no key {}; see `supplierctl operator-key list`", what));
    return CommandFailure(fmt::format("there is no key {}; see `supplierctl key list SUPPLIER`", what));
}

CommandFailure keyOfOtherKind(const KeyName& name, KeyKind kind) {
    const bool isOperators = kind == KeyKind::Operator;
    return CommandFailure(fmt::format("key {0} is {1}; run: supplierctl {2} revoke {0}", name.given,
                                      isOperators ? "an operator's" : "a supplier's",
                                      isOperators ? "operator-key" : "key"));
}

} // namespace

KeyName readKeyName(const std::string& given, KeyKind kind) {
    KeyName name{given};
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), name.id);
    if (error == std::errc{} && end == given.data() + given.size() && name.id > 0)
        return name;
    name.id = 0;
    if (isShownPart(given))
        return name;
    const std::string_view start = kind == KeyKind::Operator ? "ok_" : "sk_";
    // Never echoed: it may be the whole key.
    throw CommandFailure(fmt::format("name the key by its id or by its first {} characters ({}ab12cd34), never by "
                                     "the whole: arguments can be seen by everybody on this machine",
                                     PREFIX_LENGTH, start),
                         ExitCode::Usage);
}

FoundKey findKey(SqlSession& session, const KeyName& name, KeyKind kind) {
    auto& row =
        name.id != 0 ? session.query(LOCK_KEY_BY_ID, {name.id}) : session.query(LOCK_KEY_BY_PREFIX, {name.keyId()});
    if (!row.next())
        throw noSuchKey(name, kind);
    const FoundKey key{row.integer(0), row.maybeInteger(1), !row.isNull(2),
                       row.text(3) == keyKindName(KeyKind::Operator) ? KeyKind::Operator : KeyKind::Supplier};
    const bool startsAsItsKind = name.given.starts_with(key.kind == KeyKind::Operator ? "ok_" : "sk_");
    if (name.id == 0 && !startsAsItsKind)
        throw noSuchKey(name, kind);
    if (key.kind != kind)
        throw keyOfOtherKind(name, key.kind);
    return key;
}

} // namespace supplierd::host
