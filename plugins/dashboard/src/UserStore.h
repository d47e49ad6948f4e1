#pragma once

#include "SecretBox.h"
#include "Sessions.h"

#include <supplierd/services/Accounts.h>
#include <supplierd/services/ApiKeys.h>
#include <supplierd/services/Users.h>

#include <string>
#include <vector>

namespace supplierd::dashboard {

/// The service "supplierd.users/1", and what users change about themselves. Thread: any. Errors: ApiError,
/// DatabaseError.
class UserStore final : public Users {
public:
    struct Settings {
        std::string publicUrl;
        std::chrono::seconds linkLifetime{std::chrono::hours(72)};
    };

    UserStore(Crypto& crypto, AuditLog& audit, Accounts& accounts, ApiKeys& keys, SecretBox& secrets, Settings settings)
        : _crypto(crypto),
          _audit(audit),
          _accounts(accounts),
          _keys(keys),
          _secrets(secrets),
          _settings(std::move(settings)) {}

    Listed<User> list(Database& database, const QueryParameters& query) override;
    std::optional<User> find(SqlSession& session, std::int64_t id) override;
    UserLink invite(Transaction& transaction, const JsonObject& fields, const Actor& actor) override {
        return invite(transaction, fields, std::nullopt, actor);
    }
    UserLink link(Transaction& transaction, std::int64_t id, const Actor& actor) override;
    User setPassword(Transaction& transaction, std::int64_t id, std::string_view password, const Actor& actor) override;
    User disable(Transaction& transaction, std::int64_t id, const Actor& actor) override {
        return setDisabled(transaction, id, true, actor);
    }
    User enable(Transaction& transaction, std::int64_t id, const Actor& actor) override {
        return setDisabled(transaction, id, false, actor);
    }
    User removeSecondFactor(Transaction& transaction, std::int64_t id, const Actor& actor) override;
    User update(Transaction& transaction, std::int64_t id, const JsonObject& fields, const Actor& actor) override;

    /// invite() into that store, whatever the fields say.
    UserLink inviteInto(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                        const Actor& actor) {
        return invite(transaction, fields, supplierId, actor);
    }
    /// Whose link this is; nothing when there is no such link, or no longer.
    std::optional<User> ofLink(SqlSession& session, std::string_view token);
    /// What is wrong with a new password goes into the details, under `field`.
    static void checkPassword(Details& details, std::string_view field, std::string_view password,
                              std::string_view email);
    void rename(Transaction& transaction, std::int64_t id, const std::string& name, const Actor& actor);

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
    User require(SqlSession& session, std::int64_t id);
    User setDisabled(Transaction& transaction, std::int64_t id, bool disabled, const Actor& actor);
    UserLink invite(Transaction& transaction, const JsonObject& fields, std::optional<std::int64_t> store,
                    const Actor& actor);
    UserLink makeLink(Transaction& transaction, User user);
    void record(Transaction& transaction, const Actor& actor, std::string_view verb, const User& user,
                std::string after = {});

    Crypto& _crypto;
    AuditLog& _audit;
    Accounts& _accounts;
    ApiKeys& _keys;
    SecretBox& _secrets;
    Settings _settings;
};

} // namespace supplierd::dashboard
