#include "UserStore.h"

#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <chrono>

namespace supplierd::dashboard {

namespace {

constexpr std::chrono::seconds FORGOTTEN_LIFETIME = std::chrono::hours(2);

constexpr std::string_view INSERT_LINK = R"sql(
INSERT INTO dashboard_links (user_id, token_hash, expires_at) VALUES (?, ?, NOW(6) + INTERVAL ? SECOND)
)sql";

constexpr std::string_view SELECT_LINK_EXPIRY = R"sql(
SELECT expires_at FROM dashboard_links WHERE token_hash = ?
)sql";

constexpr std::string_view PURGE_LINKS = R"sql(
DELETE FROM dashboard_links WHERE expires_at < NOW(6) LIMIT 1000
)sql";

constexpr std::string_view SET_LANGUAGE = R"sql(
UPDATE dashboard_users SET language = ? WHERE id = ?
)sql";

constexpr std::string_view SELECT_CHOICE = R"sql(
SELECT language, REPLACE(muted_mails, ',', ' ') FROM dashboard_users WHERE id = ?
)sql";

constexpr std::string_view SET_MUTED = "UPDATE dashboard_users SET muted_mails = ? WHERE id = ?";

} // namespace

/// Its own link is made when it is sent: no table holds a token.
void UserStore::mailLink(Transaction& transaction, const User& user) {
    const auto store =
        user.supplierId && _mails.isOn() ? _accounts.findSupplier(transaction, *user.supplierId) : std::nullopt;
    _mails.add(transaction, user.id, user.hasPassword ? MailKind::NEW_PASSWORD : MailKind::INVITATION,
               {{"store", store ? store->name : ""}});
}

/// Anybody may have a link mailed for a password that was forgotten: it does not count for long.
UserLink UserStore::mailedLink(Transaction& transaction, std::int64_t id, std::string_view kind) {
    const auto lifetime =
        kind == MailKind::NEW_PASSWORD ? std::min(FORGOTTEN_LIFETIME, _settings.linkLifetime) : _settings.linkLifetime;
    return makeLink(transaction, require(transaction, id), lifetime);
}

std::string UserStore::pageUrl(std::string_view page) const {
    // Behind the '#' a token goes to no server and no log.
    return _settings.publicUrl + "/dashboard/#/" + std::string(page);
}

UserLink UserStore::makeLink(Transaction& transaction, User user, std::chrono::seconds lifetime) {
    const std::string token = _crypto.randomToken();
    const std::string hash = _crypto.sha256(token);
    transaction.execute(INSERT_LINK, {user.id, hash, lifetime.count()});
    UserLink link;
    link.url = pageUrl("welcome/" + token);
    Rows& row = transaction.query(SELECT_LINK_EXPIRY, {hash});
    if (row.next())
        link.expiresAt = row.time(0);
    link.user = std::move(user);
    return link;
}

void UserStore::setLanguage(Transaction& transaction, std::int64_t id, std::string_view language) {
    if (!language.empty())
        transaction.execute(SET_LANGUAGE, {language, id});
}

UserStore::MailChoice UserStore::mailChoice(SqlSession& session, std::int64_t id) {
    Rows& row = session.query(SELECT_CHOICE, {id});
    if (!row.next())
        return {};
    return {std::string(row.text(0)), scopesOf(row.text(1))};
}

void UserStore::muteMails(Transaction& transaction, std::int64_t id, const std::vector<std::string>& kinds,
                          const Actor& actor) {
    const std::vector<std::string> before = mailChoice(transaction, id).muted;
    if (before == kinds)
        return;
    std::string joined;
    for (const std::string& kind : kinds)
        joined += (joined.empty() ? "" : ",") + kind;
    transaction.execute(SET_MUTED, {joined, id});
    std::string after;
    JsonWriter(after).beginObject().key("unwanted_mails").raw(jsonArray(kinds)).endObject();
    record(transaction, actor, "update", require(transaction, id), std::move(after));
    const auto isMutedNow = [&](std::string_view kind) {
        return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() &&
               std::find(before.begin(), before.end(), kind) == before.end();
    };
    if (isMutedNow(MailKind::KEY_CREATED) || isMutedNow(MailKind::KEY_NEW_ADDRESS))
        _mails.add(transaction, id, MailKind::KEY_MAILS_OFF);
}

std::int64_t UserStore::purgeLinks(Transaction& transaction) {
    return transaction.execute(PURGE_LINKS);
}

} // namespace supplierd::dashboard
