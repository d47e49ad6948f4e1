#include "MailJob.h"

#include "MailMessage.h"

#include <supplierd/JsonBody.h>

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Timestamp.h>

#include <stdexcept>
#include <utility>

namespace supplierd::dashboard {

namespace {

// A shadow's mail goes to somebody who has an account, and
// reads it in that one's language.
constexpr std::string_view SELECT_DUE = R"sql(
SELECT m.id, m.kind, m.parameters, DATE_FORMAT(m.created_at, '%Y%m%d%H%i%s%f'), u.id, u.email, u.name,
       IF(u.is_shadow, (SELECT a.language FROM dashboard_users a WHERE a.account_email = u.email), u.language),
       u.disabled_at IS NOT NULL, u.password_hash IS NOT NULL, u.is_shadow, u.supplier_id IS NULL
FROM dashboard_mails m LEFT JOIN dashboard_users u ON u.id = m.user_id
WHERE m.is_told = ? AND m.due_at <= NOW(6) ORDER BY m.due_at, m.id LIMIT 1
)sql";

// 30 seconds, then twice as long each time, up to an hour; with a tenth at random, so that mails do not go in waves.
const std::string POSTPONE = R"sql(
UPDATE dashboard_mails
SET due_at = NOW(6) + INTERVAL LEAST(3600, 30 * POW(2, LEAST(attempts, 7))) * (1 + RAND() / 10) SECOND,
    attempts = attempts + 1
WHERE )sql";
const std::string POSTPONE_ONE = POSTPONE + "id = ?";
const std::string POSTPONE_ALL = POSTPONE + "due_at <= NOW(6)";

// What was asked for with addresses that nobody has is not kept.
constexpr std::string_view REMOVE = "DELETE FROM dashboard_mails WHERE id = ?";
constexpr std::string_view FINISH = "UPDATE dashboard_mails SET due_at = NULL WHERE id = ?";

constexpr std::string_view GIVE_UP_OLD = R"sql(
UPDATE dashboard_mails SET due_at = NULL
WHERE due_at IS NOT NULL AND attempts > 0 AND created_at < NOW(6) - INTERVAL 1 DAY
)sql";

constexpr std::string_view HAS_DUE = "SELECT EXISTS (SELECT 1 FROM dashboard_mails WHERE due_at <= NOW(6))";
constexpr std::string_view COUNT_WAITING = "SELECT COUNT(*) FROM dashboard_mails WHERE due_at IS NOT NULL";

constexpr std::chrono::milliseconds CHECK_LIMIT{4'000};

/// "": none; operators have no page for their keys.
std::string_view pageOf(std::string_view kind, bool isForOperator) {
    if (kind == MailKind::INVITED_ELSEWHERE)
        return "";
    if (kind == MailKind::KEY_CREATED || kind == MailKind::KEY_NEW_ADDRESS)
        return isForOperator ? "" : "keys";
    if (kind == MailKind::WEBHOOK_OFF)
        return "x/webhooks";
    return kind == MailKind::NEW_ORDERS ? "orders" : "account";
}

/// "2026-11-28T14:30:00Z" as people read it.
std::string minuteOf(const std::string& time) {
    return time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
}

} // namespace

MailJob::MailJob(Dependencies dependencies, MailSettings settings, MailTexts texts)
    : _deps(std::move(dependencies)),
      _settings(std::move(settings)),
      _texts(std::move(texts)),
      _sent(_deps.metrics.counter("mails_total", "Mails, by what became of them", {{"outcome", "sent"}})),
      _failed(_deps.metrics.counter("mails_total", "Mails, by what became of them", {{"outcome", "failed"}})),
      _waiting(_deps.metrics.gauge("waiting_mails", "Mails that wait to be sent, as this server last saw")) {}

void MailJob::run(JobRun& run) {
    send(run); // first: what is asked for by people waits for nothing else
    _deps.sources.read(run);
    send(run);
    std::int64_t waiting = count(COUNT_WAITING);
    if (waiting > 0)
        waiting -= giveUpOld(run);
    _waiting.set(static_cast<double>(waiting));
}

std::int64_t MailJob::count(std::string_view statement) {
    return _deps.database.read([&](SqlSession& session) {
        Rows& row = session.query(statement);
        return row.next() ? row.integer(0) : 0;
    });
}

void MailJob::send(JobRun& run) {
    if (count(HAS_DUE) == 0)
        return;
    SmtpConnection connection(_settings, &run.stopSignal());
    std::int64_t sent = 0;
    for (;;) {
        run.throwIfStopped();
        std::optional<Mail> mail;
        run.withTransaction([&](Transaction& transaction) { mail = take(transaction); });
        if (!mail || !sendOne(run, connection, *mail))
            break;
        ++sent;
    }
    if (sent > 0)
        run.report("went through " + std::to_string(sent) + " mails");
}

/// What people have asked for goes before what they are told.
std::optional<MailJob::Mail> MailJob::take(Transaction& transaction) {
    for (bool isTold = false;;) {
        Rows& row = transaction.query(SELECT_DUE, {isTold});
        if (!row.next()) {
            if (std::exchange(isTold, true))
                return std::nullopt;
            continue;
        }
        Mail mail;
        mail.id = row.integer(0);
        mail.kind = row.text(1);
        mail.parameters = row.text(2);
        mail.messageId = std::string(row.text(3)) + "." + std::to_string(mail.id) + "@" +
                         _settings.from.substr(_settings.from.rfind('@') + 1);
        const std::int64_t userId = row.integer(4);
        mail.to = row.text(5);
        mail.values["name"] = row.text(6);
        mail.language = row.text(7);
        const bool isDisabled = row.boolean(8);
        const bool hasPassword = row.boolean(9);
        const bool isShadow = row.boolean(10);
        mail.isForOperator = row.boolean(11);
        const bool isNeeded =
            userId != 0 && !isDisabled && isMailAddress(mail.to) && !(mail.kind == MailKind::INVITATION && hasPassword);
        if (!isNeeded) {
            transaction.execute(userId == 0 ? REMOVE : FINISH, {mail.id});
            continue;
        }
        if (isShadow)
            mail.kind = MailKind::INVITED_ELSEWHERE;
        transaction.execute(POSTPONE_ONE, {mail.id});
        fillIn(transaction, userId, mail);
        return mail;
    }
}

void MailJob::fillIn(Transaction& transaction, std::int64_t userId, Mail& mail) {
    const JsonDocument parameters = parseJsonObject(mail.parameters);
    for (const auto& [name, value] : parameters.object())
        if (value.isText())
            mail.values[std::string(name)] = value.text();
    if (mail.kind == MailKind::INVITATION || mail.kind == MailKind::NEW_PASSWORD) {
        const UserLink link = _deps.users.mailedLink(transaction, userId, mail.kind);
        mail.url = link.url;
        mail.values["until"] = minuteOf(link.expiresAt);
    } else if (const std::string_view page = pageOf(mail.kind, mail.isForOperator); !page.empty()) {
        mail.url = _deps.users.pageUrl(page);
    }
}

bool MailJob::sendOne(JobRun& run, SmtpConnection& connection, const Mail& mail) {
    std::string message;
    try {
        const auto date = Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::RFC1123_FORMAT);
        message = writeMessage({_texts.name(), _settings.from, mail.to, mail.messageId, date},
                               _texts.write({mail.kind, mail.language, mail.values, mail.url, mail.isForOperator}));
    } catch (const std::out_of_range&) { // a server of another version wrote the row
        _deps.log.warning("this server has no text for a mail; it is tried again",
                          {{"mail_id", mail.id}, {"kind", mail.kind}});
        return true;
    }
    const auto answer = connection.send(mail.to, message);
    using enum SmtpConnection::Outcome;
    if (answer.outcome == Sent) {
        run.withTransaction([&](Transaction& transaction) { transaction.execute(FINISH, {mail.id}); });
        _sent.add();
        return true;
    }
    run.throwIfStopped();
    _deps.log.warning("a mail could not be sent; it is tried again",
                      {{"mail_id", mail.id}, {"kind", mail.kind}, {"reason", answer.reason}});
    if (answer.outcome == NotThisOne)
        return true;
    run.withTransaction([](Transaction& transaction) { transaction.execute(POSTPONE_ALL); });
    run.report("the mail server takes no mail: " + answer.reason);
    return false;
}

std::int64_t MailJob::giveUpOld(JobRun& run) {
    std::int64_t count = 0;
    run.withTransaction([&](Transaction& transaction) { count = transaction.execute(GIVE_UP_OLD); });
    if (count > 0) {
        _failed.add(static_cast<double>(count));
        _deps.log.error("mails were given up: for a day they could not be sent", {{"count", count}});
    }
    return count;
}

CheckResult MailJob::check() {
    using enum CheckResult::Level;
    SmtpConnection connection(_settings);
    const auto answer = connection.ask(CHECK_LIMIT);
    const auto waiting = count(COUNT_WAITING);
    const std::string wait = waiting == 0 ? "" : "; " + std::to_string(waiting) + " mails wait";
    if (answer.outcome == SmtpConnection::Outcome::Sent)
        return {Good, _settings.place() + " answers" + wait, ""};
    return {
        Error, _settings.place() + ": " + answer.reason + wait,
        "look at the table plugins.dashboard.mail of the configuration, and whether this machine reaches the server"};
}

} // namespace supplierd::dashboard
