#pragma once

#include <supplierd/Cookies.h>
#include <supplierd/Database.h>
#include <supplierd/RequestAuthenticator.h>
#include <supplierd/RequestHead.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Crypto.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::dashboard {

/// Who is signed in, by the session cookie of a request.
struct SignedIn {
    std::int64_t sessionId = 0;
    std::int64_t userId = 0;
    /// Whose pages are shown; nothing: an operator.
    std::optional<std::int64_t> supplierId;
    std::string email;
    std::string name;
    bool hasSecondFactor = false;
    bool isStaff = false;
    /// The supplier is the sandbox of the user's own store.
    bool isInTestMode = false;
    std::vector<std::string> scopes; ///< of staff; empty: all
    std::string csrfToken;

    bool isOperator() const { return !supplierId; }
    /// Who looks after a store's keys, people and profile. Throws ApiError (Forbidden) for its staff, and for
    /// operators.
    std::int64_t storeOfOwner() const;
    /// As Principal::hasScope().
    bool may(std::string_view scope) const {
        return scope.empty() || scopes.empty() || std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
    }
};

/// As they are in the database, with blanks between them.
std::vector<std::string> scopesOf(std::string_view text);

/// The name of a user in the audit log and the access log, which hold 64 characters.
std::string actorName(std::string_view email, std::int64_t userId);
Actor actorOf(const SignedIn& user, std::string_view requestId);

/// Whether the browser came by https.
bool isSecure(const RequestHead& head);
/// Of the dashboard's own cookies, which other sites cannot send; `maxAge`: as CookieOptions has it.
CookieOptions ownCookie(const RequestHead& head, int maxAge);

/// What the client calls itself, in printable ASCII, as the tables hold it.
std::string userAgent(const RequestHead& head);

/// The language that a page is in, as it says in `Accept-Language`: "nl"; "" when the request names none.
std::string languageOf(const RequestHead& head);

/// Sessions in the database: a random token in a cookie that scripts cannot read and other sites cannot send, its
/// SHA-256 in a row. Every request that changes something has the session's CSRF token in `X-CSRF-Token`, too.
/// Thread: any.
class Sessions {
public:
    struct Lifetimes {
        std::chrono::seconds idle{std::chrono::hours(12)};
        std::chrono::seconds longest{std::chrono::hours(24 * 30)};
    };

    Sessions(Database& database, Crypto& crypto, Lifetimes lifetimes)
        : _database(database), _crypto(crypto), _lifetimes(lifetimes) {}

    struct Opened {
        std::string cookie; ///< of `Set-Cookie`
        std::string csrfToken;
    };
    Opened open(Transaction& transaction, std::int64_t userId, const RequestHead& head) const;
    /// The `Set-Cookie` that ends it in the browser.
    static std::string farewell(const RequestHead& head);

    /// Who is signed in, whatever the request wants.
    std::optional<SignedIn> find(const RequestHead& head) const;
    /// False when it may have been sent by a page of somebody else's.
    bool isOurs(const RequestHead& head, const SignedIn& user) const;
    /// find(), for a request that does something. Throws ApiError: Unauthorized, Forbidden (`csrf`).
    SignedIn require(const RequestHead& head) const;

    /// From the next request on the session shows that sandbox; nothing: the user's own store.
    static void setTestMode(Transaction& transaction, std::int64_t sessionId, std::optional<std::int64_t> sandboxId);

    static std::int64_t end(SqlSession& session, std::int64_t userId, std::int64_t sessionId);
    /// All of them but one; 0: all.
    static void endOthers(SqlSession& session, std::int64_t userId, std::int64_t kept);
    static std::int64_t purge(Transaction& transaction);

private:
    std::optional<SignedIn> findByToken(std::string_view token) const;
    std::string csrfTokenOf(std::string_view token) const;

    Database& _database;
    Crypto& _crypto;
    Lifetimes _lifetimes;
};

/// Makes those who are signed in known to the routes of one audience: operators, or suppliers' people.
class SessionAuthenticator final : public RequestAuthenticator {
public:
    SessionAuthenticator(const Sessions& sessions, bool isForOperators)
        : _sessions(sessions), _isForOperators(isForOperators) {}
    std::optional<Principal> authenticate(const RequestHead& head) override;

private:
    const Sessions& _sessions;
    bool _isForOperators;
};

} // namespace supplierd::dashboard
