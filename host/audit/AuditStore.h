#pragma once

#include <supplierd/AuditLog.h>

namespace supplierd::host {

/// The table audit_log: the service "supplierd.audit-log/1", and what `supplierctl` reads and writes. Holds nothing.
/// Thread: any. Errors: DatabaseError.
class AuditStore final : public AuditLog {
public:
    void record(SqlSession& session, const AuditEntry& entry) override;
    std::vector<AuditRecord> find(SqlSession& session, const AuditFilter& filter, std::int64_t limit,
                                  std::int64_t beforeId = 0, std::int64_t offset = 0) override;
    std::int64_t count(SqlSession& session, const AuditFilter& filter) override;
    void recordAll(SqlSession& session, std::span<const AuditEntry> entries) override;
    /// Deletes the oldest entries, a thousand at most, that are older than that. True: there may be more.
    bool purge(SqlSession& session, std::chrono::milliseconds retention);
    /// The kinds of objects of which there are entries, by name.
    std::vector<std::string> kinds(SqlSession& session) const;
};

} // namespace supplierd::host
