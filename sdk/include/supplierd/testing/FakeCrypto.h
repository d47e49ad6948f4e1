#pragma once

#include <supplierd/services/Crypto.h>

#include <string>
#include <string_view>

namespace supplierd::testing {

/// Looks like the host's, is quick, and protects nothing: a password's hash holds the password, and random values count
/// up, so that a test knows them. Thread: one. Since 1.0.
class FakeCrypto final : public Crypto {
public:
    std::string hashPassword(std::string_view password) override { return "fake$" + std::string(password); }
    bool verifyPassword(std::string_view password, std::string_view hash) override {
        return hash == hashPassword(password);
    }
    bool needsRehash(std::string_view hash) override { return !hash.starts_with("fake$"); }
    std::string randomBytes(std::size_t count) override { return std::string(count, static_cast<char>(++_made)); }
    /// "token-1", "token-2"
    std::string randomToken(std::size_t = 32) override { return "token-" + std::to_string(++_made); }
    std::string sha256(std::string_view bytes) override { return digest(bytes); }
    std::string hmacSha256(std::string_view key, std::string_view message) override {
        return digest(std::string(key) + '\n' + std::string(message));
    }
    bool equal(std::string_view a, std::string_view b) override { return a == b; }

private:
    /// 32 bytes that are the same for the same text.
    static std::string digest(std::string_view bytes) {
        const std::string hash = std::to_string(std::hash<std::string_view>()(bytes));
        return hash + std::string(32 - hash.size(), '.');
    }

    int _made = 0;
};

} // namespace supplierd::testing
