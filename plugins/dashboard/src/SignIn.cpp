#include "SignIn.h"

#include "SecondFactor.h"

#include <supplierd/Errors.h>
#include <supplierd/Validation.h>

#include <Poco/String.h>
#include <Poco/Timestamp.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::dashboard {

namespace {

// Outcomes as they are on record; the last two are not.
constexpr std::string_view SIGNED_IN = "signed_in";
constexpr std::string_view WRONG = "wrong";
constexpr std::string_view WRONG_CODE = "wrong_code";
constexpr std::string_view BLOCKED = "blocked";
constexpr std::string_view NEEDS_CODE = "needs_code";

// The spelling is what the text weighs in the collation that people read by: accents, full width and characters that
// nobody sees make no further one. Of addresses that somebody can have no two weigh the same.
constexpr std::string_view FIND_USER = R"sql(
SELECT SHA2(WEIGHT_STRING(typed.address), 256), u.id, u.password_hash, u.totp_secret, u.totp_last_step,
       u.disabled_at IS NOT NULL
FROM (SELECT CAST(? AS CHAR(255)) COLLATE utf8mb4_unicode_520_ci AS address) AS typed
LEFT JOIN dashboard_users u ON u.account_email = ?
)sql";

constexpr std::string_view SELECT_PASSWORD_HASH = R"sql(
SELECT password_hash FROM dashboard_users WHERE id = ?
)sql";

// Who adds the row, or finds it, has it until the end of the transaction: of many attempts at once each sees what the
// one before has counted.
constexpr std::string_view LOCK_FAILURES = R"sql(
INSERT INTO dashboard_attempts (email_hash, failures, blocked_until, updated_at) VALUES (?, 0, NOW(6), NOW(6))
ON DUPLICATE KEY UPDATE failures = failures
)sql";

// The pause after the fifth is 15 s, and doubles.
constexpr std::string_view COUNT_FAILURE = R"sql(
UPDATE dashboard_attempts
SET failures = IF(updated_at < NOW(6) - INTERVAL 1 DAY, 1, failures + 1),
    blocked_until = IF(failures < 5, NOW(6), NOW(6) + INTERVAL LEAST(900, 15 * POW(2, LEAST(failures - 5, 6))) SECOND),
    updated_at = NOW(6)
WHERE email_hash = ?
)sql";

constexpr std::string_view SELECT_BLOCK = R"sql(
SELECT CEIL(TIMESTAMPDIFF(MICROSECOND, NOW(6), blocked_until) / 1000000) FROM dashboard_attempts
WHERE email_hash = ? AND blocked_until > NOW(6)
)sql";

constexpr std::string_view FORGET_FAILURES = R"sql(
DELETE FROM dashboard_attempts WHERE email_hash = ?
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

// However many texts were typed that nobody has: the newest 100,000 stay.
constexpr std::string_view PURGE_SURPLUS = R"sql(
DELETE FROM dashboard_attempts
WHERE blocked_until <= NOW(6) AND updated_at < (
    SELECT updated_at FROM (
        SELECT updated_at FROM dashboard_attempts ORDER BY updated_at DESC LIMIT 1 OFFSET 100000) AS newest)
LIMIT 1000
)sql";

constexpr std::string_view PURGE_SIGN_INS = R"sql(
DELETE FROM dashboard_sign_ins WHERE created_at < NOW(6) - INTERVAL 90 DAY LIMIT 1000
)sql";

ApiError wrong() {
    return {ErrorKind::Unauthorized, "The e-mail address or the password is wrong"};
}

ApiError blocked(std::int64_t seconds) {
    return ApiError(ErrorKind::RateLimited, "Too many attempts: wait a moment")
        .withRetryAfter(static_cast<int>(seconds));
}

std::int64_t blockOf(SqlSession& session, const std::string& count) {
    Rows& row = session.query(SELECT_BLOCK, {count});
    return row.next() ? row.integer(0) : 0;
}

/// Seconds that it is blocked for; until the end of the transaction nobody else counts there.
std::int64_t lockFailures(Transaction& transaction, const std::string& count) {
    transaction.execute(LOCK_FAILURES, {count});
    return blockOf(transaction, count);
}

} // namespace

std::optional<std::string> normalAddress(std::string_view typed) {
    if (!looksLikeEmail(typed) || std::any_of(typed.begin(), typed.end(), [](unsigned char c) { return c >= 0x80U; }))
        return std::nullopt;
    return Poco::toLower(std::string(typed));
}

/// Not before somebody signs in: it takes its time.
const std::string& SignIn::nobodysHash() {
    std::call_once(_hashed, [this] { _nobodysHash = _crypto.hashPassword(_crypto.randomToken()); });
    return _nobodysHash;
}

SignIn::Found SignIn::find(std::string_view typed) {
    const std::string address = normalAddress(typed).value_or("");
    return _database.read([&](SqlSession& session) {
        Found found;
        Rows& row = session.query(FIND_USER, {typed, address});
        if (!row.next())
            throw std::logic_error("a query that has a row always had none");
        found.spelling = row.text(0);
        found.userId = row.maybeInteger(1).value_or(0);
        if (found.userId == 0)
            return found;
        found.passwordHash = row.text(2);
        found.secret = row.text(3);
        found.lastStep = row.integer(4);
        found.isDisabled = row.boolean(5);
        return found;
    });
}

std::string SignIn::countOf(const Found& found, const RequestHead& head) const {
    if (const auto browser = _browsers.idOf(head, found.userId, found.passwordHash))
        return _crypto.sha256("browser:" + std::to_string(found.userId) + ":" + *browser);
    return _crypto.sha256("address:" + found.spelling);
}

/// Costs nothing more, and leaves no record: else the time would tell who has an account.
void SignIn::requireUnblocked(const std::string& count) {
    const auto seconds = _database.read([&](SqlSession& session) { return blockOf(session, count); });
    if (seconds > 0)
        throw blocked(seconds);
}

bool SignIn::takeCode(Transaction& transaction, const Found& found, std::string_view code) {
    std::string plain;
    std::copy_if(code.begin(), code.end(), std::back_inserter(plain), [](char c) { return c != ' ' && c != '-'; });
    const auto secret = secretOf(_secrets, found.secret, found.userId);
    if (!secret)
        _log.error(
            "the sign-in codes of a user cannot be checked: they were sealed with another secret than that of this "
            "server; all servers of one database need the same plugins.dashboard.secret_file",
            {{"user_id", found.userId}});
    if (const auto step = Totp::check(secret.value_or(""), plain, found.lastStep, Poco::Timestamp().epochTime()))
        return transaction.execute(TAKE_STEP, {*step, found.userId, *step}) == 1;
    const std::string hash = _crypto.sha256(Poco::toUpper(plain));
    return transaction.execute(TAKE_RECOVERY_CODE, {found.userId, hash}) == 1;
}

/// Of an account only: what is typed for nobody's leaves no row.
void SignIn::note(Transaction& transaction, std::int64_t userId, std::string_view outcome, const RequestHead& head) {
    if (userId == 0)
        return;
    const std::string agent = userAgent(head);
    transaction.execute(NOTE_SIGN_IN, {userId, outcome, head.clientAddress(), agent});
    if (outcome == SIGNED_IN)
        transaction.execute(NOTE_LAST_SIGN_IN, {userId});
}

// The password is looked at before anything is written, so that an attempt that finds no room costs no write and no
// guess. What became of it is said only after it was counted: many at once get no more guesses than one after the
// other.
SignIn::Result SignIn::attempt(const Attempt& attempt, const RequestHead& head) {
    const Found found = find(attempt.email);
    const std::string count = countOf(found, head);
    requireUnblocked(count);
    const bool isRight =
        _crypto.verifyPassword(attempt.password, found.passwordHash.empty() ? nobodysHash() : found.passwordHash) &&
        !found.passwordHash.empty() && !found.isDisabled;
    std::string newHash;
    if (isRight && _crypto.needsRehash(found.passwordHash))
        newHash = _crypto.hashPassword(attempt.password);
    std::int64_t seconds = 0;
    std::string_view outcome;
    _database.withTransaction([&](Transaction& transaction) {
        seconds = lockFailures(transaction, count);
        if (seconds > 0)
            outcome = BLOCKED;
        else if (!isRight)
            outcome = WRONG;
        else if (!found.secret.empty() && attempt.code.empty())
            outcome = NEEDS_CODE; // which does not forget those that failed: the code is still to be guessed
        else if (!found.secret.empty() && !takeCode(transaction, found, attempt.code))
            outcome = WRONG_CODE;
        else
            outcome = SIGNED_IN;
        if (outcome == BLOCKED || outcome == NEEDS_CODE)
            return;
        if (outcome == WRONG || outcome == WRONG_CODE)
            transaction.execute(COUNT_FAILURE, {count});
        if (outcome == SIGNED_IN)
            transaction.execute(FORGET_FAILURES, {count});
        if (outcome == SIGNED_IN && !newHash.empty())
            transaction.execute(SET_PASSWORD_HASH, {newHash, found.userId, found.passwordHash});
        note(transaction, found.userId, outcome, head);
    });
    if (outcome == BLOCKED)
        throw blocked(seconds);
    if (outcome == WRONG)
        throw wrong();
    if (outcome == WRONG_CODE)
        throw ApiError(ErrorKind::Unauthorized, "The code is wrong, or was used already");
    return {found.userId, outcome == NEEDS_CODE};
}

void SignIn::confirm(const SignedIn& user, std::string_view password) {
    const std::string count = _crypto.sha256("session:" + std::to_string(user.sessionId));
    requireUnblocked(count);
    const bool isRight = _crypto.verifyPassword(password, find(user.email).passwordHash);
    std::int64_t seconds = 0;
    _database.withTransaction([&](Transaction& transaction) {
        seconds = lockFailures(transaction, count);
        if (seconds == 0)
            transaction.execute(isRight ? FORGET_FAILURES : COUNT_FAILURE, {count});
    });
    if (seconds > 0)
        throw blocked(seconds);
    if (!isRight)
        throw ApiError::validation({{"current_password", "type", "This is not your password"}});
}

void SignIn::askForLink(std::string_view email,
                        const std::function<void(Transaction&, std::optional<std::int64_t>)>& work) {
    const Found found = find(email);
    const std::string count = _crypto.sha256("link:" + found.spelling);
    requireUnblocked(count);
    const bool isSomebody = found.userId != 0 && !found.isDisabled;
    std::int64_t seconds = 0;
    _database.withTransaction([&](Transaction& transaction) {
        seconds = lockFailures(transaction, count);
        if (seconds > 0)
            return;
        transaction.execute(COUNT_FAILURE, {count});
        work(transaction, isSomebody ? std::optional(found.userId) : std::nullopt);
    });
    if (seconds > 0)
        throw blocked(seconds);
}

std::string SignIn::browserCookie(SqlSession& session, std::int64_t userId, const RequestHead& head) const {
    Rows& row = session.query(SELECT_PASSWORD_HASH, {userId});
    const std::string hash(row.next() ? row.text(0) : std::string_view());
    return _browsers.cookie(head, userId, hash);
}

std::int64_t SignIn::purge(Transaction& transaction) {
    return transaction.execute(PURGE_ATTEMPTS) + transaction.execute(PURGE_SURPLUS) +
           transaction.execute(PURGE_SIGN_INS);
}

} // namespace supplierd::dashboard
