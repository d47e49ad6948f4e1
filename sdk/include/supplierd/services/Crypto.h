#pragma once

#include <supplierd/Abi.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace supplierd {

/// A service of the host: what signing in needs, by OpenSSL and libargon2. Thread: any. Since 1.0.
class SUPPLIERD_API Crypto {
public:
    static constexpr std::string_view ID = "supplierd.crypto/1";

    /// argon2id with a salt of its own, as "$argon2id$v=19$m=…": to be stored as it is. Takes some 20 MiB and tens of
    /// milliseconds while its caller's thread waits. A few run at a time: the others are refused. Throws ApiError:
    /// Validation for more than 1,024 bytes; Unavailable when there is no room.
    virtual std::string hashPassword(std::string_view password) = 0;
    /// Costs the same, and throws Unavailable as hashPassword() does. False too for what is no such hash. To give no
    /// hint of who exists, check a password against some hash also when there is no such user.
    virtual bool verifyPassword(std::string_view password, std::string_view hash) = 0;
    /// The hash was made with less work than hashPassword() does now: hash the password anew once it was verified.
    virtual bool needsRehash(std::string_view hash) = 0;

    /// From the kernel's generator.
    virtual std::string randomBytes(std::size_t count) = 0;
    /// So many random bytes as base64url, fit for cookies and URLs. Store the sha256() of what gives access, not the
    /// token itself.
    virtual std::string randomToken(std::size_t bytes = 32) = 0;

    /// 32 bytes each.
    virtual std::string sha256(std::string_view bytes) = 0;
    virtual std::string hmacSha256(std::string_view key, std::string_view message) = 0;

    /// Takes the same time wherever the two differ; texts of different lengths are told apart at once.
    virtual bool equal(std::string_view a, std::string_view b) = 0;

    /// Lower-case digits. Since 1.0.
    static std::string hex(std::string_view bytes) {
        constexpr std::string_view DIGITS = "0123456789abcdef";
        std::string text;
        text.reserve(2 * bytes.size());
        for (const char c : bytes) {
            const auto byte = static_cast<unsigned char>(c);
            text += DIGITS[byte >> 4U];
            text += DIGITS[byte & 15U];
        }
        return text;
    }

protected:
    ~Crypto() = default;
};

} // namespace supplierd
