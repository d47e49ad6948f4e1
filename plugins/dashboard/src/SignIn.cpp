#include "SignIn.h"

#include "SecondFactor.h"

#include <supplierd/Errors.h>

#include <Poco/String.h>
#include <Poco/Timestamp.h>

#include <algorithm>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view FIND_USER = R"sql(
SELECT id, password_hash, totp_secret, totp_last_step, disabled_at IS NOT NULL FROM dashboard_users WHERE email = ?
)sql";

// Each attempt counts as a failure before it is looked at, so that many at once get no more guesses than one after the
// other: the pause after the fifth is 15 s, and doubles.
constexpr std::string_view COUNT_FAILURE = R"sql(
INSERT INTO dashboard_attempts (email_hash, failures, blocked_until, updated_at)
VALUES (?, 1, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE
    failures = IF(updated_at < NOW(6) - INTERVAL 1 DAY, 1, failures + 1),
    blocked_until = IF(failures < 5, NOW(6), NOW(6) + INTERVAL LEAST(900, 15 * POW(2, LEAST(failures - 5, 6))) SECOND),
    updated_at = NOW(6)
)sql";

constexpr std::string_view LOCK_BLOCK = R"sql(
SELECT CEIL(TIMESTAMPDIFF(MICROSECOND, NOW(6), blocked_until) / 1000000) FROM dashboard_attempts
WHERE email_hash = ? AND blocked_until > NOW(6) FOR UPDATE
)sql";

constexpr std::string_view FORGET_FAILURES = R"sql(
DELETE FROM dashboard_attempts WHERE email_hash = ?
)sql";

// Of an attempt that was right so far. It does not forget those that failed: the code that follows is still to be
// guessed.
constexpr std::string_view UNCOUNT_FAILURE = R"sql(
UPDATE dashboard_attempts SET failures = GREATEST(failures - 1, 0), blocked_until = NOW(6) WHERE email_hash = ?
)sql";

constexpr std::string_view TAKE_STEP = R"sql(
UPDATE dashboard_users SET totp_last_step = ? WHERE id = ? AND totp_last_step < ?
)sql";

constexpr std::string_view TAKE_RECOVERY_CODE = R"sql(
DELETE FROM dashboard_recovery_codes WHERE user_id = ? AND code_hash = ?
)sql";

constexpr std::string_view SET_PASSWORD_HASH = R"sql(
UPDATE dashboard_users SET password_hash = ? WHERE id = ? AND password_hash = ?
)sql";

constexpr std::string_view NOTE_SIGN_IN = R"sql(
INSERT INTO dashboard_sign_ins (user_id, outcome, address, user_agent) VALUES (?, ?, ?, ?)
)sql";

constexpr std::string_view NOTE_LAST_SIGN_IN = R"sql(
UPDATE dashboard_users SET last_sign_in_at = NOW(6) WHERE id = ?
)sql";

constexpr std::string_view PURGE_ATTEMPTS = R"sql(
DELETE FROM dashboard_attempts WHERE updated_at < NOW(6) - INTERVAL 1 DAY LIMIT 1000
)sql";

constexpr std::string_view PURGE_SIGN_INS = R"sql(
DELETE FROM dashboard_sign_ins WHERE created_at < NOW(6) - INTERVAL 90 DAY LIMIT 1000
)sql";

ApiError wrong() {
    return {ErrorKind::Unauthorized, "The e-mail address or the password is wrong"};
}

} // namespace

/// Not before somebody signs in: it takes its time, and supplierctl starts plugins too.
const std::string& SignIn::nobodysHash() {
    std::call_once(_hashed, [this] { _nobodysHash = _crypto.hashPassword(_crypto.randomToken()); });
    return _nobodysHash;
}

SignIn::Found SignIn::find(std::string_view email) {
    return _database.read([&](SqlSession& session) {
        Found found;
        Rows& row = session.query(FIND_USER, {email});
        if (row.next()) {
            found.userId = row.integer(0);
            found.passwordHash = row.text(1);
            found.secret = row.text(2);
            found.lastStep = row.integer(3);
            found.isDisabled = row.boolean(4);
        }
        return found;
    });
}

void SignIn::countFailure(const std::string& emailHash) {
    std::int64_t seconds = 0;
    _database.withTransaction([&](Transaction& transaction) {
        seconds = 0;
        if (Rows& row = transaction.query(LOCK_BLOCK, {emailHash}); row.next())
            seconds = row.integer(0);
        else
            transaction.execute(COUNT_FAILURE, {emailHash});
    });
    if (seconds > 0)
        throw ApiError(ErrorKind::RateLimited, "Too many wrong passwords: wait a moment")
            .withRetryAfter(static_cast<int>(seconds));
}

void SignIn::forgetFailures(const std::string& emailHash) {
    _database.execute(FORGET_FAILURES, {emailHash});
}

bool SignIn::takeCode(const Found& found, std::string_view code) {
    std::string plain;
    std::copy_if(code.begin(), code.end(), std::back_inserter(plain), [](char c) { return c != ' ' && c != '-'; });
    const auto secret = secretOf(_secrets, found.secret, found.userId);
    if (!secret)
        _log.error(
            "the sign-in codes of a user cannot be checked: they were sealed with another secret than that of this "
            "server; all servers of one database need the same plugins.dashboard.secret_file",
            {{"user_id", found.userId}});
    if (const auto step = Totp::check(secret.value_or(""), plain, found.lastStep, Poco::Timestamp().epochTime()))
        return _database.execute(TAKE_STEP, {*step, found.userId, *step}) == 1;
    const std::string hash = _crypto.sha256(Poco::toUpper(plain));
    return _database.execute(TAKE_RECOVERY_CODE, {found.userId, hash}) == 1;
}

void SignIn::note(std::int64_t userId, std::string_view outcome, const RequestHead& head) {
    const std::string agent = userAgent(head);
    _database.withTransaction([&](Transaction& transaction) {
        transaction.execute(NOTE_SIGN_IN,
                            {userId == 0 ? SqlParam(nullptr) : SqlParam(userId), outcome, head.clientAddress(), agent});
        if (outcome == "signed_in")
            transaction.execute(NOTE_LAST_SIGN_IN, {userId});
    });
}

SignIn::Result SignIn::attempt(const Attempt& attempt, const RequestHead& head) {
    const std::string email = Poco::toLower(attempt.email);
    const std::string emailHash = _crypto.sha256(email);
    const Found found = find(email);
    try {
        countFailure(emailHash);
    } catch (const ApiError&) {
        note(found.userId, "blocked", head);
        throw;
    }
    const bool isRight =
        _crypto.verifyPassword(attempt.password, found.passwordHash.empty() ? nobodysHash() : found.passwordHash);
    if (!isRight || found.passwordHash.empty() || found.isDisabled) {
        note(found.userId, "wrong", head);
        throw wrong();
    }
    if (!found.secret.empty() && attempt.code.empty()) {
        _database.execute(UNCOUNT_FAILURE, {emailHash});
        return {found.userId, true};
    }
    if (!found.secret.empty() && !takeCode(found, attempt.code)) {
        note(found.userId, "wrong_code", head);
        throw ApiError(ErrorKind::Unauthorized, "The code is wrong, or was used already");
    }
    forgetFailures(emailHash);
    if (_crypto.needsRehash(found.passwordHash))
        _database.execute(SET_PASSWORD_HASH,
                          {_crypto.hashPassword(attempt.password), found.userId, found.passwordHash});
    note(found.userId, "signed_in", head);
    return {found.userId, false};
}

void SignIn::confirm(const SignedIn& user, std::string_view password) {
    const std::string emailHash = _crypto.sha256(user.email);
    countFailure(emailHash);
    if (!_crypto.verifyPassword(password, find(user.email).passwordHash))
        throw ApiError::validation({{"current_password", "type", "This is not your password"}});
    forgetFailures(emailHash);
}

std::int64_t SignIn::purge(Transaction& transaction) {
    return transaction.execute(PURGE_ATTEMPTS) + transaction.execute(PURGE_SIGN_INS);
}

} // namespace supplierd::dashboard
