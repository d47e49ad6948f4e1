#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/AuditLog.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace supplierd::host {

/// A key was used from this client address: when first and when last, since these notes were begun.
struct UsedKey {
    using Clock = std::chrono::steady_clock;

    std::int64_t keyId = 0;
    std::string address;
    Clock::time_point firstAt = Clock::now();
    Clock::time_point lastAt = firstAt;
};

/// Notes of uses of keys that are not written down yet: every address of a key once, in the order of first uses. Of one
/// key at most MAX_ADDRESSES are kept; a key that is used from more within a minute has told enough. Thread: one.
class KeyUses {
public:
    static constexpr std::size_t MAX_ADDRESSES = 32;

    void note(std::int64_t keyId, std::string_view address, UsedKey::Clock::time_point at);
    void note(const UsedKey& use);
    /// All notes, those of one key together.
    std::vector<UsedKey> take();
    /// Of which keys there are some, in ascending order.
    std::vector<std::int64_t> keys() const;
    /// Of a key that there are some of.
    const std::vector<UsedKey>& of(std::int64_t keyId) const { return _byKey.at(keyId); }
    void forget(std::span<const std::int64_t> keys);
    void forget(std::int64_t keyId, std::string_view address);

private:
    std::unordered_map<std::int64_t, std::vector<UsedKey>> _byKey;
};

/// Keeps `last_used_at` and `last_used_from` of keys, written at most once a minute per key on however many hosts it is
/// used, and tells the audit log of a key's first use and of every new address, with the time of the use. Many keys
/// are written in one transaction. Thread: one.
class KeyUseRecorder {
public:
    enum class Round {
        Ordinary,
        Last ///< nothing waits for its minute any more
    };

    /// Both must outlive it.
    KeyUseRecorder(Database& database, AuditLog& audit) : _database(database), _audit(audit) {}

    /// Writes what is due. New addresses that come within the minute wait for a later call, and so does everything
    /// that is left when the database fails. Throws DatabaseError, ApiError.
    void record(const std::vector<UsedKey>& used, Round round = Round::Ordinary);

private:
    struct Row {
        std::string prefix;
        std::optional<std::int64_t> supplierId;
        std::optional<std::string> lastUsedFrom;
        bool isUsed = false;
        bool isDue = false;
    };
    using Uses = std::vector<UsedKey>;

    std::vector<std::int64_t> findDue(std::span<const std::int64_t> keys, Round round);
    std::vector<std::int64_t> write(std::span<const std::int64_t> due, Round round);
    static std::map<std::int64_t, Row> read(SqlSession& session, std::span<const std::int64_t> keys,
                                            std::string_view lock);
    static void tell(std::vector<AuditEntry>& entries, const Row& row, const Uses& uses);

    Database& _database;
    AuditLog& _audit;
    KeyUses _waiting;
};

} // namespace supplierd::host
