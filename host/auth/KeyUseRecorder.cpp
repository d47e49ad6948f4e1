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
    return all;
}

std::vector<UsedKey> KeyUses::take() {
    std::vector<UsedKey> all;
    for (auto& [keyId, uses] : std::exchange(_byKey, {}))
        std::move(uses.begin(), uses.end(), std::back_inserter(all));
    return all;
}

namespace {

constexpr std::size_t MOST_KEYS = 1'000;

constexpr std::string_view SELECT_USES = R"sql(
SELECT STRAIGHT_JOIN k.id, k.key_id, k.kind, k.supplier_id, k.last_used_from, k.last_used_at IS NOT NULL,
       k.last_used_at IS NULL OR k.last_used_at < NOW(6) - INTERVAL 60 SECOND
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) AS used
JOIN api_keys k FORCE INDEX (PRIMARY) ON k.id = used.id
)sql";

// Only where nobody else, on this host or another, has written since the row was read.
constexpr std::string_view TOUCH_KEY = R"sql(
UPDATE api_keys
SET last_used_at = IF(last_used_at > NOW(6) - INTERVAL ? MICROSECOND, last_used_at, NOW(6) - INTERVAL ? MICROSECOND),
    last_used_from = ?
WHERE id = ? AND last_used_from <=> ? AND (last_used_at IS NOT NULL) = ?
  AND (? OR last_used_at IS NULL OR last_used_at < NOW(6) - INTERVAL 60 SECOND)
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

} // namespace

void KeyUseRecorder::record(const std::vector<UsedKey>& used, Round round) {
    for (const auto& use : used)
        _waiting.note(use);
    const auto rows = read(_waiting.keys());
    _waiting.settle([&](std::int64_t keyId, Uses& uses) {
        const auto row = rows.find(keyId);
        return row == rows.end() || recordOne(keyId, row->second, uses, round);
    });
}

bool KeyUseRecorder::recordOne(std::int64_t keyId, const Row& row, Uses& uses, Round round) {
    if (row.isDue || round == Round::Last)
        return write(keyId, row, uses, round);
    if (row.lastUsedFrom)
        std::erase_if(uses, [&](const auto& use) { return use.address == *row.lastUsedFrom; });
    return uses.empty();
}

std::unordered_map<std::int64_t, KeyUseRecorder::Row> KeyUseRecorder::read(std::span<const std::int64_t> keys) {
    std::unordered_map<std::int64_t, Row> rows;
    for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), MOST_KEYS)))
        _database.withSession([&](SqlSession& session) {
            auto& found = session.query(SELECT_USES, {jsonArray(keys.first(std::min(keys.size(), MOST_KEYS)))});
            while (found.next()) {
                auto& row = rows[found.integer(0)];
                row.prefix = std::string(keyScheme(keyKindNamed(found.text(2)))) + std::string(found.text(1));
                row.supplierId = found.maybeInteger(3);
                row.lastUsedFrom = found.maybeText(4);
                row.isUsed = found.boolean(5);
                row.isDue = found.boolean(6);
            }
        });
    return rows;
}

/// False when another host was first: look again at what is there now.
bool KeyUseRecorder::write(std::int64_t keyId, const Row& row, const Uses& uses, Round round) {
    // The address that the key has in the end is the last new one, so that going back to the old one is told too.
    const auto lastNew =
        std::find_if(uses.rbegin(), uses.rend(), [&](const auto& use) { return use.address != row.lastUsedFrom; });
    const std::string& address = lastNew == uses.rend() ? *row.lastUsedFrom : lastNew->address;
    bool isOurs = false;
    const auto touch = [&](auto& database) {
        const auto age = since(lastOf(uses)).count();
        return database.execute(TOUCH_KEY,
                                {age, age, address, keyId, row.lastUsedFrom, row.isUsed, round == Round::Last}) > 0;
    };
    if (lastNew == uses.rend()) {
        touch(_database);
        return true;
    }
    _database.withTransaction([&](Transaction& transaction) {
        isOurs = touch(transaction);
        if (isOurs)
            tell(transaction, row, uses);
    });
    return isOurs;
}

/// The first recorded address of a key that was in use before addresses were recorded is no news.
void KeyUseRecorder::tell(SqlSession& session, const Row& row, const Uses& uses) {
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
            _audit.record(session, entry);
        before = use.address;
    }
}

} // namespace supplierd::host
