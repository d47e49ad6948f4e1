#pragma once

#include "SecretBox.h"
#include "Sessions.h"
#include "User.h"
#include "mail/MailQueue.h"

#include <supplierd/ListPage.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/ApiKeyVerifier.h>

#include <string>
#include <vector>

namespace supplierd::dashboard {

/// The people who sign in: suppliers' and operators'. What it changes is in the audit log. Thread: any. Errors:
/// ApiError, DatabaseError.
class UserStore {
public:
    static constexpr std::size_t MIN_PASSWORD = 10; ///< characters

    struct Role {
        bool isStaff = false;
        std::vector<std::string> scopes{}; ///< empty: all
    };
    struct Settings {
        std::string publicUrl;
        std::chrono::seconds linkLifetime{std::chrono::hours(72)};
    };

    UserStore(Crypto& crypto, AuditLog& audit, Accounts& accounts, ApiKeyVerifier& keys, SecretBox& secrets,
              MailQueue& mails, Settings settings)
        : _crypto(crypto),
          _audit(audit),
          _accounts(accounts),
          _keys(keys),
          _secrets(secrets),
          _mails(mails),
          _settings(std::move(settings)) {}

    /// Newest first, without shadows: people who have an account elsewhere, as the owners who invited them see them.
    /// `query`: `page`, `per_page`, `cursor`, `search` (name or e-mail address), `supplier_id` (0: operators).
    Listed<User> list(Database& database, const QueryParameters& query) { return select(database, query, false); }
    std::optional<User> find(SqlSession& session, std::int64_t id);
    /// Throws ApiError (NotFound) when there is no such user.
    User require(SqlSession& session, std::int64_t id);
    /// `fields`: `{ email, name?, supplier_id?, role?, scopes? }`; without a supplier it is an operator. A supplier's
    /// `role` is "owner" unless it says "staff"; `scopes` are those of staff, all when there are none. Throws ApiError
    /// (Validation) with every bad field, also for an address that somebody has.
    UserLink invite(Transaction& transaction, const JsonObject& fields, const Actor& actor) {
        return invite(transaction, fields, std::nullopt, actor);
    }
    /// A link to choose a new password with, which is mailed, too; an earlier one ends.
    UserLink link(Transaction& transaction, std::int64_t id, const Actor& actor);
    /// Ends the user's sessions and links. Throws ApiError (Validation) for a password that is too short, too long or
    /// the address.
    User setPassword(Transaction& transaction, std::int64_t id, std::string_view password, const Actor& actor);
    /// Ends all sessions; enable() lets the user sign in again.
    User disable(Transaction& transaction, std::int64_t id, const Actor& actor) {
        return setDisabled(transaction, id, true, actor);
    }
    User enable(Transaction& transaction, std::int64_t id, const Actor& actor) {
        return setDisabled(transaction, id, false, actor);
    }
    /// For a user who has lost it, with the recovery codes.
    User removeSecondFactor(Transaction& transaction, std::int64_t id, const Actor& actor);
    /// `fields`: `{ name?, role?, scopes? }`, as invite() takes them; counts for sessions that run, too. Throws
    /// ApiError (Validation) with every bad field, also for the role of an operator, who has none.
    User update(Transaction& transaction, std::int64_t id, const JsonObject& fields, const Actor& actor);

    /// For the owners of the store that the query names: with people who have an account elsewhere.
    Listed<User> listForOwners(Database& database, const QueryParameters& query) {
        return select(database, query, true);
    }
    /// invite() into that store, whatever the fields say. An address that has an account elsewhere is invited as every
    /// other one, but its link leads nowhere: the answer does not tell who exists. Without a link where it is mailed.
    UserLink inviteInto(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                        const Actor& actor) {
        return invite(transaction, fields, supplierId, actor);
    }
    /// For an owner: a link for somebody of the store who has no password yet; an earlier one ends. As inviteInto().
    /// Throws ApiError: Conflict for who has a password, Validation when too many were mailed within a day.
    UserLink inviteAgain(Transaction& transaction, User user, const Actor& actor);
    /// Whose link this is; nothing when there is no such link, or no longer.
    std::optional<User> ofLink(SqlSession& session, std::string_view token);
    /// The same, and the link is used up: of many at once one gets it.
    std::optional<User> takeLink(Transaction& transaction, std::string_view token);
    /// What is wrong with a new password goes into the details, under `field`.
    static void checkPassword(Details& details, std::string_view field, std::string_view password,
                              std::string_view email);
    void rename(Transaction& transaction, std::int64_t id, const std::string& name, const Actor& actor);

    /// A further link, for a mail; earlier ones go on.
    UserLink mailedLink(Transaction& transaction, std::int64_t id, std::string_view kind);
    /// Of a page of the dashboard, "account".
    std::string pageUrl(std::string_view page) const;
    /// The language of the user's mails, unless it is "".
    static void setLanguage(Transaction& transaction, std::int64_t id, std::string_view language);
    struct MailChoice {
        std::string language;
        std::vector<std::string> muted; ///< kinds that the user does not want
    };
    static MailChoice mailChoice(SqlSession& session, std::int64_t id);
    /// From now on the user wants all but these kinds. Whoever switches those about keys off is told by one more.
    void muteMails(Transaction& transaction, std::int64_t id, const std::vector<std::string>& kinds,
                   const Actor& actor);

    /// A secret that counts once a code has confirmed it.
    void setNewSecret(Transaction& transaction, std::int64_t id, std::string_view secret);
    /// Turns the second factor on; the recovery codes, which exist nowhere else. Throws ApiError (Validation) for a
    /// wrong code.
    std::vector<std::string> confirmSecret(Transaction& transaction, std::int64_t id, std::string_view code,
                                           const Actor& actor);

    struct SecretsSeen {
        std::size_t all = 0;
        std::size_t foreign = 0; ///< sealed with another file than this server's
    };
    /// Of the users who joined last: whether this server can check their codes.
    SecretsSeen lookAtSecrets(Database& database);

    /// Of secrets that an earlier version has put into the database as they are.
    std::int64_t sealSecrets(Transaction& transaction);
    static std::int64_t purgeLinks(Transaction& transaction);

private:
    Listed<User> select(Database& database, const QueryParameters& query, bool withShadows);
    /// Throws ApiError (Conflict) for a shadow.
    static void requireAccount(SqlSession& session, std::int64_t id);
    static bool isElsewhere(SqlSession& session, const std::string& address, std::int64_t store);
    /// Throws ApiError (Validation) when a store has invited too many within a day.
    static void requireFewInvitations(SqlSession& session, std::int64_t store);
    User setDisabled(Transaction& transaction, std::int64_t id, bool disabled, const Actor& actor);
    UserLink invite(Transaction& transaction, const JsonObject& fields, std::optional<std::int64_t> store,
                    const Actor& actor);
    void setRole(Transaction& transaction, const User& user, const Role& role, const Actor& actor);
    UserLink ownersLink(Transaction& transaction, User user);
    UserLink makeLink(Transaction& transaction, User user, std::chrono::seconds lifetime);
    void mailLink(Transaction& transaction, const User& user);
    void record(Transaction& transaction, const Actor& actor, std::string_view verb, const User& user,
                std::string after = {});

    Crypto& _crypto;
    AuditLog& _audit;
    Accounts& _accounts;
    ApiKeyVerifier& _keys;
    SecretBox& _secrets;
    MailQueue& _mails;
    Settings _settings;
};

} // namespace supplierd::dashboard
