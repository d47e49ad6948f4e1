#include "host/auth/ApiKey.h"

#include "host/base/Digest.h"
#include "host/base/Random.h"

#include <algorithm>
#include <array>
#include <regex>

namespace supplierd::host {

namespace {

constexpr std::string_view ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"; // 32, without look-alikes
constexpr std::size_t ID_LENGTH = 8;
constexpr std::size_t SECRET_LENGTH = 43;

// The longest that fits is a key's: "sk_" begins those of sandboxes too.
constexpr std::array SCHEMES{KeyKind::Sandbox, KeyKind::Supplier, KeyKind::Operator};

} // namespace

ApiKey ApiKey::generate(KeyKind kind) {
    std::array<unsigned char, ID_LENGTH> idBytes{};
    Sha256Digest secret{};
    fillRandom(idBytes.data(), idBytes.size());
    fillRandom(secret.data(), secret.size());
    ApiKey key;
    key.kind = kind;
    for (unsigned char byte : idBytes)
        key.keyId += ID_ALPHABET[byte % ID_ALPHABET.size()];
    key.text = std::string(keyScheme(kind)) + key.keyId + "_" + base64url(asBytes(secret));
    return key;
}

std::optional<ApiKey> ApiKey::parse(std::string_view text) {
    const auto kind =
        std::find_if(SCHEMES.begin(), SCHEMES.end(), [&](KeyKind one) { return text.starts_with(keyScheme(one)); });
    if (kind == SCHEMES.end())
        return std::nullopt;
    const auto rest = text.substr(keyScheme(*kind).size());
    if (rest.size() != ID_LENGTH + 1 + SECRET_LENGTH || rest[ID_LENGTH] != '_')
        return std::nullopt;
    const auto id = rest.substr(0, ID_LENGTH);
    const auto isAlnum = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (!std::all_of(id.begin(), id.end(), isAlnum))
        return std::nullopt;
    if (rest.find_first_not_of(BASE64URL, ID_LENGTH + 1) != std::string_view::npos)
        return std::nullopt;
    ApiKey key;
    key.kind = *kind;
    key.keyId = id;
    key.text = text;
    return key;
}

std::string ApiKey::prefix() const {
    return text.substr(0, keyScheme(kind).size() + ID_LENGTH);
}

std::string_view keyKindName(KeyKind kind) {
    switch (kind) {
    case KeyKind::Operator:
        return "operator";
    case KeyKind::Sandbox:
        return "sandbox";
    default:
        return "supplier";
    }
}

KeyKind keyKindNamed(std::string_view name) {
    const auto kind =
        std::find_if(SCHEMES.begin(), SCHEMES.end(), [&](KeyKind one) { return name == keyKindName(one); });
    return kind == SCHEMES.end() ? KeyKind::Supplier : *kind;
}

std::string_view keyScheme(KeyKind kind) {
    switch (kind) {
    case KeyKind::Operator:
        return "ok_";
    case KeyKind::Sandbox:
        return "sk_test_";
    default:
        return "sk_";
    }
}

std::string maskedKeys(std::string_view text) {
    // Cut or mistyped ones too: whatever stands behind the part of a key that may be shown.
    static const std::regex key("\\b((?:sk_test|sk|ok)_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+");
    return std::regex_replace(std::string(text), key, "$1_***");
}

} // namespace supplierd::host
