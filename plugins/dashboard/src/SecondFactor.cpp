#include "SecondFactor.h"

#include "SecretBox.h"

#include <Poco/URI.h>

#include <liboath/oath.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace supplierd::dashboard {

namespace {

constexpr unsigned STEP_SECONDS = OATH_TOTP_DEFAULT_TIME_STEP_SIZE;
constexpr std::size_t DIGITS = 6;
constexpr std::size_t WINDOW = 1;

struct Library {
    Library() {
        if (oath_init() != OATH_OK)
            throw std::runtime_error("liboath cannot be used");
    }
};

std::string percentEncoded(std::string_view text) {
    std::string encoded;
    Poco::URI::encode(std::string(text), "!#$&'()*+,/:;=?@[]", encoded);
    return encoded;
}

} // namespace

std::optional<std::string> secretOf(SecretBox& box, std::string_view stored, std::int64_t userId) {
    return stored.size() == Totp::SECRET_BYTES ? std::optional(std::string(stored)) : box.open(stored, userId);
}

std::optional<std::int64_t> Totp::check(std::string_view secret, std::string_view code, std::int64_t lastStep,
                                        std::int64_t unixSeconds) {
    static const Library library;
    if (secret.empty() || code.size() != DIGITS ||
        !std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    int position = 0;
    const std::string otp(code);
    if (oath_totp_validate2(secret.data(), secret.size(), unixSeconds, STEP_SECONDS, OATH_TOTP_DEFAULT_START_TIME,
                            WINDOW, &position, otp.c_str()) < 0)
        return std::nullopt;
    const std::int64_t step = unixSeconds / STEP_SECONDS + position;
    return step > lastStep ? std::optional(step) : std::nullopt;
}

std::string Totp::text(std::string_view secret) {
    char* encoded = nullptr;
    std::size_t length = 0;
    if (oath_base32_encode(secret.data(), secret.size(), &encoded, &length) != OATH_OK)
        throw std::runtime_error("a secret could not be written in base32");
    const std::unique_ptr<char, decltype(&std::free)> owned(encoded, &std::free);
    return {encoded, length};
}

std::string Totp::uri(std::string_view secret, std::string_view issuer, std::string_view account) {
    return "otpauth://totp/" + percentEncoded(issuer) + ":" + percentEncoded(account) + "?secret=" + text(secret) +
           "&issuer=" + percentEncoded(issuer);
}

} // namespace supplierd::dashboard
