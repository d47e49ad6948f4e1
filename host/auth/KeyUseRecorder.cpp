#include "host/auth/KeyUseRecorder.h"

#include "host/auth/ApiKey.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <utility>

namespace supplierd::host {

void KeyUses::note(std::int64_t keyId, std::string_view address, UsedKey::Clock::time_point at) {
    auto& uses = _byKey[keyId];
    const auto known = std::find_if(uses.begin(), uses.end(), [&](const auto& use) { return use.address == address; });
    if (known != uses.end())
        known->lastAt = std::max(known->lastAt, at);
    else if (uses.size() < MAX_ADDRESSES)
        uses.push_back({keyId, std::string(address), at, at});
}

void KeyUses::note(const UsedKey& use) {
    note(use.keyId, use.address, use.firstAt);
    note(use.keyId, use.address, use.lastAt);
}

std::vector<std::int64_t> KeyUses::keys() const {
    std::vector<std::int64_t> all;
    for (const auto& [keyId, uses] : _byKey)
        all.push_back(keyId);
    std::sort(all.begin(), all.end()); // servers lock them in this order
    return all;
}

void KeyUses::forget(std::span<const std::int64_t> keys) {
    for (const std::int64_t keyId : keys)
        _byKey.erase(keyId);
}

void KeyUses::forget(std::int64_t keyId, std::string_view address) {
    const auto known = _byKey.find(keyId);
    if (known == _byKey.end())
        return;
    std::erase_if(known->second, [&](const auto& use) { return use.address == address; });
    if (known->second.empty())
        _byKey.erase(known);
}

std::vector<UsedKey> KeyUses::take() {
    std::vector<UsedKey> all;
    for (auto& [keyId, uses] : std::exchange(_byKey, {}))
        std::move(uses.begin(), uses.end(), std::back_inserter(all));
    return all;
}

namespace {

constexpr std::size_t MOST_KEYS_READ = 1'000;
/// A transaction holds their rows, and the log of changes for as many entries as they have addresses.
constexpr std::size_t MOST_KEYS_WRITTEN = 250;

/// MySQL locks no JSON_TABLE (error 3569), but a table that was made of one.
constexpr std::string_view SELECT_USES = R"sql(
SELECT STRAIGHT_JOIN k.id, k.key_id, k.kind, k.supplier_id, k.last_used_from, k.last_used_at IS NOT NULL,
       k.last_used_at IS NULL OR k.last_used_at < NOW(6) - INTERVAL 60 SECOND
FROM (SELECT DISTINCT id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) AS listed) AS used
JOIN api_keys k FORCE INDEX (PRIMARY) ON k.id = used.id
)sql";
/// Rows that somebody else holds wait for a later round, so that nobody else does.
constexpr std::string_view LOCKING_WHAT_IS_FREE = "FOR UPDATE SKIP LOCKED";
constexpr std::string_view LOCKING = "FOR UPDATE";

constexpr std::string_view TOUCH_KEYS = R"sql(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT PATH '$[0]', age BIGINT PATH '$[1]', address VARCHAR(64) PATH '$[2]')) AS used
STRAIGHT_JOIN api_keys k FORCE INDEX (PRIMARY) ON k.id = used.id
SET k.last_used_at = IF(k.last_used_at > NOW(6) - INTERVAL used.age MICROSECOND, k.last_used_at,
                        NOW(6) - INTERVAL used.age MICROSECOND),
    k.last_used_from = used.address
)sql";

std::string describe(std::string_view address) {
    std::string text;
    JsonWriter(text).beginObject().field("address", address).endObject();
    return text;
}

std::chrono::microseconds since(UsedKey::Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(UsedKey::Clock::now() - time);
}

UsedKey::Clock::time_point lastOf(const std::vector<UsedKey>& uses) {
    return std::max_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.lastAt < b.lastAt; })
        ->lastAt;
}

/// The address that the key has in the end is the last new one, so that going back to the old one is told too.
std::string_view lastNewOf(const std::vector<UsedKey>& uses, const std::optional<std::string>& before) {
    const auto lastNew =
        std::find_if(uses.rbegin(), uses.rend(), [&](const auto& use) { return use.address != before; });
    return lastNew == uses.rend() ? *before : lastNew->address;
}

std::vector<std::span<const std::int64_t>> inPieces(std::span<const std::int64_t> all, std::size_t most) {
    std::vector<std::span<const std::int64_t>> pieces;
    for (; !all.empty(); all = all.subspan(pieces.back().size()))
        pieces.push_back(all.first(std::min(all.size(), most)));
    return pieces;
}

} // namespace

void KeyUseRecorder::record(const std::vector<UsedKey>& used, Round round) {
    for (const auto& use : used)
        _waiting.note(use);
    const auto keys = _waiting.keys();
    for (const auto some : inPieces(keys, MOST_KEYS_READ)) {
        const auto due = findDue(some, round);
        for (const auto piece : inPieces(due, MOST_KEYS_WRITTEN))
            _waiting.forget(write(piece, round));
    }
}

/// Forgets what is known already.
std::vector<std::int64_t> KeyUseRecorder::findDue(std::span<const std::int64_t> keys, Round round) {
    std::vector<std::int64_t> due;
    const auto rows = _database.read([&](SqlSession& session) { return read(session, keys, {}); });
    for (const std::int64_t id : keys) {
        const auto row = rows.find(id);
        if (row == rows.end())
            _waiting.forget(std::span(&id, 1));
        else if (row->second.isDue || round == Round::Last)
            due.push_back(id);
        else if (row->second.lastUsedFrom)
            _waiting.forget(id, *row->second.lastUsedFrom);
    }
    return due;
}

/// Those that another host has written meanwhile are looked at again the next time.
std::vector<std::int64_t> KeyUseRecorder::write(std::span<const std::int64_t> due, Round round) {
    std::vector<std::int64_t> written;
    _database.withTransaction([&](Transaction& transaction) {
        written.clear();
        std::vector<AuditEntry> entries;
        std::string touched;
        JsonWriter json(touched);
        json.beginArray();
        for (const auto& [id, row] : read(transaction, due, round == Round::Last ? LOCKING : LOCKING_WHAT_IS_FREE)) {
            if (!row.isDue && round != Round::Last)
                continue;
            const Uses& uses = _waiting.of(id);
            json.beginArray().value(id).value(static_cast<std::int64_t>(since(lastOf(uses)).count()));
            json.value(lastNewOf(uses, row.lastUsedFrom)).endArray();
            tell(entries, row, uses);
            written.push_back(id);
        }
        json.endArray();
        if (written.empty())
            return;
        transaction.execute(TOUCH_KEYS, {touched});
        _audit.recordAll(transaction, entries);
    });
    return written;
}

std::map<std::int64_t, KeyUseRecorder::Row>
KeyUseRecorder::read(SqlSession& session, std::span<const std::int64_t> keys, std::string_view lock) {
    std::map<std::int64_t, Row> rows;
    auto& found = session.query(std::string(SELECT_USES).append(lock), {jsonArray(keys)});
    while (found.next()) {
        auto& row = rows[found.integer(0)];
        row.prefix = std::string(keyScheme(keyKindNamed(found.text(2)))) + std::string(found.text(1));
        row.supplierId = found.maybeInteger(3);
        row.lastUsedFrom = found.maybeText(4);
        row.isUsed = found.boolean(5);
        row.isDue = found.boolean(6);
    }
    return rows;
}

/// The first recorded address of a key that was in use before addresses were recorded is no news.
void KeyUseRecorder::tell(std::vector<AuditEntry>& entries, const Row& row, const Uses& uses) {
    std::optional<std::string> before = row.lastUsedFrom;
    for (const auto& use : uses) {
        if (use.address == row.lastUsedFrom)
            continue;
        AuditEntry entry{row.prefix, "key.new_address", "key", use.keyId, row.supplierId};
        if (before)
            entry.before = describe(*before);
        else
            entry.action = "key.first_use";
        entry.after = describe(use.address);
        entry.ago = since(use.firstAt);
        if (before || !row.isUsed)
            entries.push_back(std::move(entry));
        before = use.address;
    }
}

} // namespace supplierd::host
