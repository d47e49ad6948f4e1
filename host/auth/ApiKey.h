#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

enum class KeyKind { Supplier, Operator, Sandbox };

/// `sk_<8-character id>_<43 characters of base64url, 256 random bits>`; operators' keys begin with `ok_`, those of
/// sandboxes with `sk_test_`.
struct ApiKey {
    KeyKind kind = KeyKind::Supplier;
    std::string keyId;
    std::string text;

    /// What may be shown and logged: "sk_ab12cd34".
    std::string prefix() const;

    static ApiKey generate(KeyKind kind);
    /// Nothing when the text has not the form of a key.
    static std::optional<ApiKey> parse(std::string_view text);
};

/// "supplier", "operator" or "sandbox", as api_keys.kind holds it.
std::string_view keyKindName(KeyKind kind);
KeyKind keyKindNamed(std::string_view name);
/// What its keys begin with: "sk_", "ok_" or "sk_test_".
std::string_view keyScheme(KeyKind kind);

/// The text with the secret of whatever may be an API key in it replaced: "sk_ab12cd34_***". What people paste at the
/// wrong place ends in terminals, histories and logs.
std::string maskedKeys(std::string_view text);

} // namespace supplierd::host
