#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/AuditLog.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
    /// Of which keys there are some.
    std::vector<std::int64_t> keys() const;

    /// Asks about every key and forgets it when the answer is true; `isSettled` may also drop single notes from the
    /// vector that it is given. When it throws, what was not settled stays.
    template <class IsSettled>
    void settle(const IsSettled& isSettled) {
        for (auto uses = _byKey.begin(); uses != _byKey.end();)
            uses = isSettled(uses->first, uses->second) ? _byKey.erase(uses) : std::next(uses);
    }

private:
    std::unordered_map<std::int64_t, std::vector<UsedKey>> _byKey;
};

/// Keeps `last_used_at` and `last_used_from` of keys, written at most once a minute per key on however many hosts it is
/// used, and tells the audit log of a key's first use and of every new address, with the time of the use. Thread: one.
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

    /// By key, a thousand with each statement: most of them are not due.
    std::unordered_map<std::int64_t, Row> read(std::span<const std::int64_t> keys);
    /// True when nothing is left to tell of these uses.
    bool recordOne(std::int64_t keyId, const Row& row, Uses& uses, Round round);
    bool write(std::int64_t keyId, const Row& row, const Uses& uses, Round round);
    void tell(SqlSession& session, const Row& row, const Uses& uses);

    Database& _database;
    AuditLog& _audit;
    KeyUses _waiting;
};

} // namespace supplierd::host
