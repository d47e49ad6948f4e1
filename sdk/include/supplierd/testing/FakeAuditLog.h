#pragma once

#include <supplierd/services/AuditLog.h>

#include <set>
#include <span>
#include <string>
#include <vector>

namespace supplierd::testing {

/// Keeps what is recorded, also by a transaction that is rolled back or repeated. Thread: one. Since 1.0.
class FakeAuditLog final : public AuditLog {
public:
    void record(Transaction&, const AuditEntry& entry) override { _entries.push_back(entry); }
    void recordAll(Transaction&, std::span<const AuditEntry> entries) override {
        _entries.insert(_entries.end(), entries.begin(), entries.end());
    }
    /// All of it, last recorded first, whatever the query says.
    Listed<AuditRecord> list(Database&, const QueryParameters&) override {
        Listed<AuditRecord> list;
        for (auto entry = _entries.rbegin(); entry != _entries.rend(); ++entry) {
            AuditRecord record;
            record.id = _entries.rend() - entry;
            record.createdAt = "2026-01-01T00:00:00Z";
            record.entry = *entry;
            list.items.push_back(std::move(record));
        }
        list.pagination.totalItems = static_cast<std::int64_t>(_entries.size());
        return list;
    }
    /// Those of its entries.
    std::vector<std::string> kinds(SqlSession&) override {
        std::set<std::string> kinds;
        for (const AuditEntry& entry : _entries)
            kinds.insert(entry.object);
        return {kinds.begin(), kinds.end()};
    }

    /// In the order of recording.
    const std::vector<AuditEntry>& entries() const { return _entries; }

private:
    std::vector<AuditEntry> _entries;
};

} // namespace supplierd::testing
