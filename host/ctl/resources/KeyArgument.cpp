#include "host/ctl/resources/KeyArgument.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace supplierd::host {
namespace {

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

ApiKeyRow findKey(SqlSession& session, const KeyName& name, KeyKind kind) {
    const ApiKeyStore keys;
    const auto key = name.id != 0 ? keys.lock(session, name.id) : keys.lock(session, name.publicPart());
    const auto startsAsItsKind = [&] { return name.given.starts_with(key->prefix.substr(0, KIND_LENGTH)); };
    if (!key || (name.id == 0 && !startsAsItsKind()))
        throw noSuchKey(name, kind);
    if (key->kind != kind)
        throw keyOfOtherKind(name, key->kind);
    return *key;
}

} // namespace supplierd::host
