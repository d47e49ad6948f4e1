#pragma once

#include "host/auth/Authenticator.h"

#include <supplierd/AuditLog.h>
#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace supplierd::host {

/// Keeps `last_used_at` and `last_used_from` of keys, written at most once a minute per key on however many hosts it is
/// used, and tells the audit log of a key's first use and of a new address. Thread: one.
class KeyUseRecorder {
public:
    /// Both must outlive it.
    KeyUseRecorder(Database& database, AuditLog& audit) : _database(database), _audit(audit) {}

    /// Writes what is due. A new address that comes within the minute waits for a later call, and so does everything
    /// that is left when the database fails. Throws DatabaseError, ApiError.
    void record(const std::vector<UsedKey>& used);

private:
    struct Row {
        std::string prefix;
        std::optional<std::int64_t> supplierId;
        std::optional<std::string> lastUsedFrom;
        bool isUsed = false;
        bool isDue = false;
    };

    std::optional<Row> read(SqlSession& session, std::int64_t keyId) const;
    /// True when nothing is left to tell of this use.
    bool recordOne(std::int64_t keyId, const std::string& address);
    bool touch(SqlSession& session, std::int64_t keyId, const Row& row, const std::string& address) const;
    /// False when another host was first: look again at what is there now.
    bool tell(std::int64_t keyId, const Row& row, const std::string& address);

    Database& _database;
    AuditLog& _audit;
    std::unordered_map<std::int64_t, std::string> _waiting;
};

} // namespace supplierd::host
