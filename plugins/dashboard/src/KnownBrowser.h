#pragma once

#include <supplierd/RequestHead.h>
#include <supplierd/services/Crypto.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// A browser in which a user has signed in before: a cookie with a random id and its HMAC. The key is the hash of the
/// user's password, so every server of the database knows the cookie, no table holds it, and a new password ends it.
/// Thread: any.
class KnownBrowser {
public:
    explicit KnownBrowser(Crypto& crypto) : _crypto(crypto) {}

    /// Nothing when this user has not signed in here with that password.
    std::optional<std::string> idOf(const RequestHead& head, std::int64_t userId, std::string_view passwordHash) const;
    /// The `Set-Cookie` of one that signs in. A browser that is known keeps its id.
    std::string cookie(const RequestHead& head, std::int64_t userId, std::string_view passwordHash) const;

private:
    std::string sealOf(std::string_view id, std::int64_t userId, std::string_view passwordHash) const;

    Crypto& _crypto;
};

} // namespace supplierd::dashboard
