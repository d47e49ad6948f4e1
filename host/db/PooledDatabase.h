#pragma once

#include "host/db/OutcomeRecord.h"
#include "host/db/SessionPool.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace supplierd::host {

/// The Database that handlers and plugins see, over the pool. Thread: any.
///
/// Throws ApiError (Unavailable, with Retry-After) when no session becomes free in time, when the database is away or
/// was lost again after the one repeat, when a statement exceeds its time limit, and when the outcome of a COMMIT stays
/// unknown. Every other DatabaseError reaches the caller.
class PooledDatabase final : public Database {
public:
    /// `log` (may be null) and `pool` must outlive the database.
    explicit PooledDatabase(SessionPool& pool, Logger* log = nullptr);

    void withSession(const std::function<void(SqlSession&)>& work) override;
    void withTransaction(const std::function<void(Transaction&)>& work) override;
    void withSnapshot(const std::function<void(SqlSession&)>& work) override;

    /// withTransaction() with a record of the caller's own.
    void run(OutcomeRecord& record, const std::function<void(Transaction&)>& work);

private:
    using Reading = std::function<void(PooledSession&)>;

    /// Repeated once on a fresh session when the connection was lost.
    void readOnSession(const Reading& reading);
    void readOnce(bool fresh, const Reading& reading);
    /// Throws the ApiError that an error amounts to, or the error itself.
    [[noreturn]] void translate(const DatabaseError& error);
    void logAway(const std::string& reason);

    SessionPool& _pool;
    Logger* _log;
    std::atomic<std::int64_t> _nextLog{0};
};

} // namespace supplierd::host
