#include "SecondFactor.h"
#include "UserStore.h"

#include <Poco/Timestamp.h>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view SET_NEW_SECRET = R"sql(
UPDATE dashboard_users SET totp_new_secret = ? WHERE id = ? AND totp_secret IS NULL
)sql";

constexpr std::string_view LOCK_NEW_SECRET = R"sql(
SELECT totp_new_secret FROM dashboard_users WHERE id = ? AND totp_secret IS NULL FOR UPDATE
)sql";

constexpr std::string_view CONFIRM_SECRET = R"sql(
UPDATE dashboard_users SET totp_secret = totp_new_secret, totp_new_secret = NULL, totp_last_step = ? WHERE id = ?
)sql";

// 20: Totp::SECRET_BYTES; what is sealed is longer.
constexpr std::string_view LOCK_PLAIN_SECRETS = R"sql(
SELECT id, totp_secret, totp_new_secret FROM dashboard_users
WHERE LENGTH(totp_secret) = 20 OR LENGTH(totp_new_secret) = 20 LIMIT 100 FOR UPDATE
)sql";

constexpr std::string_view LAST_SECRETS = R"sql(
SELECT id, totp_secret FROM dashboard_users WHERE totp_secret IS NOT NULL ORDER BY id DESC LIMIT 100
)sql";

constexpr std::string_view SET_SECRETS = R"sql(
UPDATE dashboard_users SET totp_secret = ?, totp_new_secret = ? WHERE id = ?
)sql";

constexpr std::string_view REMOVE_SECRET = R"sql(
UPDATE dashboard_users SET totp_secret = NULL, totp_new_secret = NULL WHERE id = ?
)sql";

constexpr std::string_view REMOVE_CODES = R"sql(
DELETE FROM dashboard_recovery_codes WHERE user_id = ?
)sql";

constexpr std::string_view INSERT_CODE = R"sql(
INSERT INTO dashboard_recovery_codes (user_id, code_hash) VALUES (?, ?)
)sql";

constexpr std::size_t RECOVERY_CODES = 10;
constexpr std::size_t RECOVERY_BYTES = 10; ///< 16 characters of base32

} // namespace

void UserStore::setNewSecret(Transaction& transaction, std::int64_t id, std::string_view secret) {
    // Taking the place of one would be turning it off, which asks for the password.
    if (transaction.execute(SET_NEW_SECRET, {_secrets.seal(secret, id), id}) == 0)
        throw ApiError::conflict("The second factor is on: turn it off first, with your password");
}

std::vector<std::string> UserStore::confirmSecret(Transaction& transaction, std::int64_t id, std::string_view code,
                                                  const Actor& actor) {
    std::string secret;
    if (Rows& row = transaction.query(LOCK_NEW_SECRET, {id}); row.next())
        secret = row.text(0);
    const auto step = Totp::check(secretOf(_secrets, secret, id).value_or(""), code, 0, Poco::Timestamp().epochTime());
    if (!step)
        throw ApiError::validation({{"code", "type", "this is not the code that the app shows now"}});
    transaction.execute(CONFIRM_SECRET, {*step, id});
    transaction.execute(REMOVE_CODES, {id});
    std::vector<std::string> codes;
    while (codes.size() < RECOVERY_CODES) {
        codes.push_back(Totp::text(_crypto.randomBytes(RECOVERY_BYTES)));
        transaction.execute(INSERT_CODE, {id, _crypto.sha256(codes.back())});
    }
    record(transaction, actor, "add_second_factor", require(transaction, id));
    return codes;
}

User UserStore::removeSecondFactor(Transaction& transaction, std::int64_t id, const Actor& actor) {
    User user = require(transaction, id);
    transaction.execute(REMOVE_SECRET, {id});
    transaction.execute(REMOVE_CODES, {id});
    record(transaction, actor, "remove_second_factor", user);
    if (user.hasSecondFactor)
        _mails.add(transaction, id, MailKind::SECOND_FACTOR_REMOVED, {{"actor", actor.name}});
    user.hasSecondFactor = false;
    return user;
}

UserStore::SecretsSeen UserStore::lookAtSecrets(Database& database) {
    return database.read([this](SqlSession& session) {
        SecretsSeen seen;
        Rows& user = session.query(LAST_SECRETS);
        while (user.next()) {
            ++seen.all;
            if (!secretOf(_secrets, user.text(1), user.integer(0)))
                ++seen.foreign;
        }
        return seen;
    });
}

std::int64_t UserStore::sealSecrets(Transaction& transaction) {
    struct Found {
        std::int64_t id;
        std::optional<std::string> secret;
        std::optional<std::string> next;
    };
    std::vector<Found> plain;
    Rows& row = transaction.query(LOCK_PLAIN_SECRETS);
    while (row.next())
        plain.push_back({row.integer(0), row.maybeText(1), row.maybeText(2)});
    for (Found& user : plain) {
        for (std::optional<std::string>* secret : {&user.secret, &user.next})
            if (*secret && (*secret)->size() == Totp::SECRET_BYTES)
                *secret = _secrets.seal(**secret, user.id);
        transaction.execute(SET_SECRETS, {user.secret, user.next, user.id});
    }
    return static_cast<std::int64_t>(plain.size());
}

} // namespace supplierd::dashboard
