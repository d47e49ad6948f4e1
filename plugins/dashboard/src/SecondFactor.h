#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

class SecretBox;

/// A secret as it is in the database: sealed, or as it is where an earlier version has put it there. Nothing when it
/// cannot be opened.
std::optional<std::string> secretOf(SecretBox& box, std::string_view stored, std::int64_t userId);

/// TOTP (RFC 6238), by liboath: six digits, thirty seconds. Thread: any.
class Totp {
public:
    static constexpr std::size_t SECRET_BYTES = 20;

    /// The step that the code is of: now, or one before or after it; nothing for a wrong code, and for a step that is
    /// not later than `lastStep`, whose code was used already.
    static std::optional<std::int64_t> check(std::string_view secret, std::string_view code, std::int64_t lastStep,
                                             std::int64_t unixSeconds);
    /// As people type it in when they cannot scan: base32.
    static std::string text(std::string_view secret);
    /// "otpauth://totp/...", for the picture that is scanned.
    static std::string uri(std::string_view secret, std::string_view issuer, std::string_view account);
};

} // namespace supplierd::dashboard
