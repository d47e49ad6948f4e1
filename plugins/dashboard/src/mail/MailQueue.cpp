#include "MailQueue.h"

namespace supplierd::dashboard {

namespace {

constexpr std::string_view INSERT_MAIL = R"sql(
INSERT INTO dashboard_mails (user_id, kind, parameters) VALUES (?, ?, ?)
)sql";

constexpr std::string_view INSERT_FOR_ALL = R"sql(
INSERT INTO dashboard_mails (user_id, kind, cause, parameters)
SELECT u.id, ?, ?, ? FROM dashboard_users u
WHERE u.supplier_id <=> ? AND u.disabled_at IS NULL AND u.password_hash IS NOT NULL AND NOT u.is_shadow
      AND FIND_IN_SET(?, u.muted_mails) = 0
      AND (NOT u.is_staff OR (? <> '' AND (u.scopes IS NULL OR FIND_IN_SET(?, REPLACE(u.scopes, ' ', ',')) > 0)))
ON DUPLICATE KEY UPDATE kind = VALUES(kind)
)sql";

// Twice as long as a mail is tried to be sent. Of those that were sent the rows keep a cause from being told again.
constexpr std::string_view PURGE_MAILS = R"sql(
DELETE FROM dashboard_mails WHERE created_at < NOW(6) - INTERVAL 2 DAY LIMIT 1000
)sql";

constexpr std::string_view PURGE_ADDRESSES = R"sql(
DELETE FROM dashboard_key_addresses WHERE seen_at < NOW(6) - INTERVAL 180 DAY LIMIT 1000
)sql";

} // namespace

void MailQueue::add(SqlSession& session, std::optional<std::int64_t> userId, std::string_view kind,
                    const Texts& values) {
    if (!_isOn)
        return;
    session.execute(INSERT_MAIL, {userId, kind, jsonOf(values)});
    _jobs.wake(session, JOB);
}

void MailQueue::addForAll(SqlSession& session, std::optional<std::int64_t> supplierId, const ChosenMail& mail,
                          const std::string& cause, const Texts& values) const {
    session.execute(INSERT_FOR_ALL, {mail.kind, cause, jsonOf(values), supplierId, mail.kind, mail.scope, mail.scope});
}

std::int64_t MailQueue::purge(Transaction& transaction) {
    return transaction.execute(PURGE_MAILS) + transaction.execute(PURGE_ADDRESSES);
}

} // namespace supplierd::dashboard
