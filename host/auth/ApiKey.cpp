#include "host/auth/ApiKey.h"

#include <Poco/Exception.h>
#include <Poco/SHA2Engine.h>

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <regex>

namespace supplierd::host {

namespace {

constexpr std::string_view ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"; // 32, without look-alikes
constexpr std::string_view BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t ID_LENGTH = 8;
constexpr std::size_t SECRET_LENGTH = 43;
constexpr std::size_t KEY_LENGTH = 3 + ID_LENGTH + 1 + SECRET_LENGTH;

} // namespace

std::string base64url(std::string_view bytes) {
    std::string out;
    unsigned bits = 0;
    int held = 0;
    for (const char byte : bytes) {
        bits = (bits << 8 | static_cast<unsigned char>(byte)) & 0xffffU;
        for (held += 8; held >= 6; held -= 6)
            out += BASE64URL[bits >> (held - 6) & 63U];
    }
    if (held > 0)
        out += BASE64URL[bits << (6 - held) & 63U];
    return out;
}

Sha256Digest sha256(std::string_view bytes) {
    Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
    engine.update(bytes.data(), bytes.size());
    const auto& digest = engine.digest();
    Sha256Digest result{};
    std::copy_n(digest.begin(), result.size(), result.begin());
    return result;
}

std::string_view asBytes(const Sha256Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool equalInConstantTime(std::string_view a, std::string_view b) {
    if (a.size() != b.size())
        return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

void fillRandom(unsigned char* to, std::size_t size) {
    while (size > 0) {
        const auto got = getrandom(to, size, 0);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            throw Poco::SystemException("getrandom failed", errno);
        }
        to += got;
        size -= static_cast<std::size_t>(got);
    }
}

ApiKey ApiKey::generate(KeyKind kind) {
    std::array<unsigned char, ID_LENGTH> idBytes{};
    Sha256Digest secret{};
    fillRandom(idBytes.data(), idBytes.size());
    fillRandom(secret.data(), secret.size());
    ApiKey key;
    key.kind = kind;
    for (unsigned char byte : idBytes)
        key.keyId += ID_ALPHABET[byte % ID_ALPHABET.size()];
    key.text = (kind == KeyKind::Supplier ? "sk_" : "ok_") + key.keyId + "_" + base64url(asBytes(secret));
    return key;
}

std::optional<ApiKey> ApiKey::parse(std::string_view text) {
    if (text.size() != KEY_LENGTH || text[3 + ID_LENGTH] != '_')
        return std::nullopt;
    const auto scheme = text.substr(0, 3);
    if (scheme != "sk_" && scheme != "ok_")
        return std::nullopt;
    const auto id = text.substr(3, ID_LENGTH);
    const auto isAlnum = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (!std::all_of(id.begin(), id.end(), isAlnum))
        return std::nullopt;
    if (text.find_first_not_of(BASE64URL, 3 + ID_LENGTH + 1) != std::string_view::npos)
        return std::nullopt;
    ApiKey key;
    key.kind = scheme == "sk_" ? KeyKind::Supplier : KeyKind::Operator;
    key.keyId = id;
    key.text = text;
    return key;
}

std::string_view keyKindName(KeyKind kind) {
    return kind == KeyKind::Supplier ? "supplier" : "operator";
}

std::string maskedKeys(std::string_view text) {
    // Cut or mistyped ones too: whatever stands behind the part of a key that may be shown.
    static const std::regex key("\\b((?:sk|ok)_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+");
    return std::regex_replace(std::string(text), key, "$1_***");
}

} // namespace supplierd::host
