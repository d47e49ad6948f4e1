#include "host/auth/KeyUseRecorder.h"

#include <supplierd/JsonWriter.h>

namespace supplierd::host {

namespace {

constexpr std::string_view SELECT_USE = R"sql(
SELECT key_id, kind, supplier_id, last_used_from, last_used_at IS NOT NULL,
       last_used_at IS NULL OR last_used_at < NOW(6) - INTERVAL 60 SECOND
FROM api_keys WHERE id = ?
)sql";

// Only where nobody else, on this host or another, has written since the row was read.
constexpr std::string_view TOUCH_KEY = R"sql(
UPDATE api_keys SET last_used_at = NOW(6), last_used_from = ?
WHERE id = ? AND last_used_from <=> ? AND (last_used_at IS NOT NULL) = ?
  AND (last_used_at IS NULL OR last_used_at < NOW(6) - INTERVAL 60 SECOND)
)sql";

std::string describe(std::string_view address) {
    std::string text;
    JsonWriter(text).beginObject().field("address", address).endObject();
    return text;
}

} // namespace

void KeyUseRecorder::record(const std::vector<UsedKey>& used) {
    for (const auto& use : used)
        _waiting.try_emplace(use.keyId, use.address);
    for (auto use = _waiting.begin(); use != _waiting.end();) {
        if (recordOne(use->first, use->second))
            use = _waiting.erase(use);
        else
            ++use;
    }
}

bool KeyUseRecorder::recordOne(std::int64_t keyId, const std::string& address) {
    const auto row = _database.read([&](SqlSession& session) { return read(session, keyId); });
    if (!row)
        return true;
    const bool isNewAddress = row->lastUsedFrom && *row->lastUsedFrom != address;
    if (!row->isDue)
        return !isNewAddress;
    if (!row->isUsed || isNewAddress)
        return tell(keyId, *row, address);
    _database.withSession([&](SqlSession& session) { touch(session, keyId, *row, address); });
    return true;
}

std::optional<KeyUseRecorder::Row> KeyUseRecorder::read(SqlSession& session, std::int64_t keyId) const {
    auto& found = session.query(SELECT_USE, {keyId});
    if (!found.next())
        return std::nullopt;
    Row row;
    row.prefix = (found.text(1) == keyKindName(KeyKind::Operator) ? "ok_" : "sk_") + std::string(found.text(0));
    row.supplierId = found.maybeInteger(2);
    row.lastUsedFrom = found.maybeText(3);
    row.isUsed = found.boolean(4);
    row.isDue = found.boolean(5);
    return row;
}

bool KeyUseRecorder::touch(SqlSession& session, std::int64_t keyId, const Row& row, const std::string& address) const {
    return session.execute(TOUCH_KEY, {address, keyId, row.lastUsedFrom, row.isUsed}) > 0;
}

bool KeyUseRecorder::tell(std::int64_t keyId, const Row& row, const std::string& address) {
    AuditEntry entry{row.prefix, row.isUsed ? "key.new_address" : "key.first_use", "key", keyId, row.supplierId};
    if (row.isUsed)
        entry.before = describe(*row.lastUsedFrom);
    entry.after = describe(address);
    bool isOurs = false;
    _database.withTransaction([&](Transaction& transaction) {
        isOurs = touch(transaction, keyId, row, address);
        if (isOurs)
            _audit.record(transaction, entry);
    });
    return isOurs;
}

} // namespace supplierd::host
