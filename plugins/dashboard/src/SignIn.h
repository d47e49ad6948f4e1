#pragma once

#include "SecretBox.h"
#include "Sessions.h"

#include <supplierd/Log.h>

#include <mutex>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// Who may sign in: password, then the second factor of those who have one; what is wrong is counted by address, and
/// from the fifth failure in a row each costs a pause that doubles, up to a quarter of an hour. Everything is written
/// down. Thread: any.
class SignIn {
public:
    SignIn(Database& database, Crypto& crypto, SecretBox& secrets, Logger& log)
        : _database(database), _crypto(crypto), _secrets(secrets), _log(log) {}

    struct Attempt {
        std::string email;
        std::string password;
        std::string code; ///< of the app, or a recovery code; empty: not asked yet
    };
    struct Result {
        std::int64_t userId = 0;
        bool needsCode = false; ///< the password was right
    };
    /// Throws ApiError: Unauthorized (wrong; which of the two nobody is told), RateLimited (too many failures).
    Result attempt(const Attempt& attempt, const RequestHead& head);
    /// Whether this is the password of a user who is signed in. Counts as an attempt does. Throws as attempt().
    void confirm(const SignedIn& user, std::string_view password);

    static std::int64_t purge(Transaction& transaction);

private:
    struct Found {
        std::int64_t userId = 0;
        std::string passwordHash;
        std::string secret; ///< sealed; empty: no second factor
        std::int64_t lastStep = 0;
        bool isDisabled = false;
    };

    Found find(std::string_view email);
    void countFailure(const std::string& emailHash);
    void forgetFailures(const std::string& emailHash);
    bool takeCode(const Found& found, std::string_view code);
    void note(std::int64_t userId, std::string_view outcome, const RequestHead& head);

    Database& _database;
    Crypto& _crypto;
    SecretBox& _secrets;
    Logger& _log;
    const std::string& nobodysHash();

    std::once_flag _hashed;
    std::string _nobodysHash; ///< costs as much as somebody's
};

} // namespace supplierd::dashboard
