#pragma once

#include "KnownBrowser.h"
#include "SecretBox.h"
#include "Sessions.h"

#include <supplierd/Log.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// The one spelling of an e-mail address: ASCII, in lower case. Nothing for what is no such address.
std::optional<std::string> normalAddress(std::string_view typed);

/// Who may sign in: password, then the second factor of those who have one. Failures are counted by account, and from
/// the fifth in a row each costs a pause that doubles, up to a quarter of an hour. A browser in which the user has
/// signed in before has a count of its own, so nobody else locks its user out. Attempts at an account are on record.
/// Thread: any.
class SignIn {
public:
    SignIn(Database& database, Crypto& crypto, SecretBox& secrets, Logger& log)
        : _database(database), _crypto(crypto), _secrets(secrets), _log(log), _browsers(crypto) {}

    struct Attempt {
        std::string email; ///< as it was typed
        std::string password;
        std::string code; ///< of the app, or a recovery code; empty: not asked yet
    };
    struct Result {
        std::int64_t userId = 0;
        bool needsCode = false; ///< the password was right
    };
    /// Throws ApiError: Unauthorized (wrong; which of the two nobody learns), RateLimited (too many failures),
    /// Unavailable (too many sign in at once; it does not count).
    Result attempt(const Attempt& attempt, const RequestHead& head);
    /// Whether this is the password of a user who is signed in. Failures count for that session. Throws as attempt().
    void confirm(const SignedIn& user, std::string_view password);
    /// Counts that somebody asks for a link to a new password, as a failure at the address, and does `work` in the same
    /// transaction with whose address it is: nothing for one that nobody has, or whose account is disabled. Throws
    /// ApiError (RateLimited), whether somebody has the address or not.
    void askForLink(std::string_view email, const std::function<void(Transaction&, std::optional<std::int64_t>)>& work);
    /// The `Set-Cookie` by which a browser is known from now on.
    std::string browserCookie(SqlSession& session, std::int64_t userId, const RequestHead& head) const;

    static std::int64_t purge(Transaction& transaction);

private:
    struct Found {
        std::string spelling;    ///< one for all texts that people read as the same
        std::int64_t userId = 0; ///< 0: nobody
        std::string passwordHash;
        std::string secret; ///< sealed; empty: no second factor
        std::int64_t lastStep = 0;
        bool isDisabled = false;
    };

    Found find(std::string_view typed);
    /// What failures are counted under.
    std::string countOf(const Found& found, const RequestHead& head) const;
    /// Throws ApiError (RateLimited).
    void requireUnblocked(const std::string& count);
    bool takeCode(Transaction& transaction, const Found& found, std::string_view code);
    static void note(Transaction& transaction, std::int64_t userId, std::string_view outcome, const RequestHead& head);
    const std::string& nobodysHash();

    Database& _database;
    Crypto& _crypto;
    SecretBox& _secrets;
    Logger& _log;
    KnownBrowser _browsers;
    std::once_flag _hashed;
    std::string _nobodysHash; ///< costs as much as somebody's
};

} // namespace supplierd::dashboard
