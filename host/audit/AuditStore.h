#pragma once

#include <supplierd/services/AuditLog.h>

#include <functional>
#include <set>
#include <utility>

namespace supplierd::host {

/// Which entries: all that match what is set. A text that is not ASCII matches none.
struct AuditFilter {
    std::optional<std::string> object = std::nullopt;
    std::optional<std::int64_t> objectId = std::nullopt;
    std::optional<std::string> actor = std::nullopt;
    /// Only entries older than this one.
    std::optional<std::int64_t> before = std::nullopt;
    /// Only entries newer than this one.
    std::optional<std::int64_t> after = std::nullopt;
    /// Only entries of these times, in UTC as the database has them.
    std::optional<std::string> createdFrom = std::nullopt;
    std::optional<std::string> createdTo = std::nullopt;
    /// What is of sandboxes too. Who asks for an actor or an object gets that anyway.
    bool withSandboxes = false;
};

/// The table audit_log: the service "supplierd.audit-log/1". Thread: any. Errors: DatabaseError.
class AuditStore final : public AuditLog {
public:
    /// Before it is used: what plugins say that they write about.
    void onKinds(std::function<std::set<std::string>()> announced) { _announced = std::move(announced); }

    void record(Transaction& transaction, const AuditEntry& entry) override;
    void recordAll(Transaction& transaction, std::span<const AuditEntry> entries) override;
    Listed<AuditRecord> list(Database& database, const QueryParameters& query) override;
    std::vector<std::string> kinds(SqlSession& session) override;

    /// Last recorded first: at most `limit` entries, after leaving out `offset`.
    std::vector<AuditRecord> find(SqlSession& session, const AuditFilter& filter, std::int64_t limit,
                                  std::int64_t offset = 0);
    /// How many match, but no further than to MAX_COUNT + 1, which says that there are more than MAX_COUNT.
    std::int64_t count(SqlSession& session, const AuditFilter& filter);
    /// Deletes the oldest entries, a thousand at most, that are older than that. True: there may be more.
    bool purge(SqlSession& session, std::chrono::milliseconds retention);
    /// As purge(), of those that bulk requests of stocks and prices leave: a thousand at most of each.
    bool purgePushes(SqlSession& session, std::chrono::milliseconds retention);

private:
    std::function<std::set<std::string>()> _announced;
};

} // namespace supplierd::host
