#pragma once

#include "host/auth/KeyUses.h"

#include <supplierd/AuditLog.h>
#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

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

    std::optional<Row> read(SqlSession& session, std::int64_t keyId) const;
    /// True when nothing is left to tell of these uses.
    bool recordOne(std::int64_t keyId, Uses& uses, Round round);
    bool write(std::int64_t keyId, const Row& row, const Uses& uses, Round round);
    void tell(SqlSession& session, const Row& row, const Uses& uses);

    Database& _database;
    AuditLog& _audit;
    KeyUses _waiting;
};

} // namespace supplierd::host
