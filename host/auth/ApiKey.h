#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

using Sha256Digest = std::array<unsigned char, 32>;

Sha256Digest sha256(std::string_view bytes);
std::string_view asBytes(const Sha256Digest& digest);
/// Without padding.
std::string base64url(std::string_view bytes);
/// Takes the same time wherever the two differ.
bool equalInConstantTime(std::string_view a, std::string_view b);
/// Bytes from the kernel's generator. Throws Poco::SystemException when it has none to give.
void fillRandom(unsigned char* to, std::size_t size);

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
