#pragma once

#include "host/db/CatalogSemaphore.h"
#include "host/db/CommitRecord.h"
#include "host/db/SessionPool.h"
#include "host/db/TransactionGroups.h"
#include "host/db/changes/CommitFeed.h"
#include "host/db/changes/CommittedQuestions.h"
#include "host/db/changes/TransactionChanges.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace supplierd::host {

/// The Database that handlers and plugins see, over the pool. Thread: any.
///
/// At most a quarter of the pool is at work on one supplier's catalog, or waits for its lock; further transactions
/// wait in a queue, without a session.
///
/// Throws ApiError (Unavailable, with Retry-After) when no session becomes free in time, when too many wait for one
/// catalog or one waits too long, when the database is away or was lost again after the one repeat, when a statement
/// exceeds its time limit, when the database can prepare no more statements, and when the outcome of a COMMIT stays
/// unknown. Every other DatabaseError reaches the caller.
class PooledDatabase final : public Database {
public:
    /// `log` (may be null) and `pool` must outlive the database. `actor`: who changes what is changed by
    /// withTransaction(), for the change log.
    explicit PooledDatabase(SessionPool& pool, Logger* log = nullptr, const std::string& actor = ChangeOrigin().actor);

    using Database::execute;

    void withSession(const std::function<void(SqlSession&)>& work) override;
    std::int64_t execute(std::string_view sql, SqlParams params) override;
    void withTransaction(const std::function<void(Transaction&)>& work) override;
    void withSnapshot(const std::function<void(SqlSession&)>& work) override;
    CommittedNumbers committed(std::int64_t supplierId) override {
        return ask(supplierId, CommittedQuestions::Clock::now()).numbers;
    }
    /// Whatever was committed before `since` is in the answer.
    CommittedAnswer ask(std::int64_t supplierId, CommittedQuestions::Clock::time_point since) {
        return _questions.ask(supplierId, since);
    }
    /// Of both.
    CommittedQuestions::Counts questions() const { return _questions.counts(); }

    /// withSession() for work that also writes, statement by statement, and does no harm when it is done twice.
    void withWritingSession(const std::function<void(SqlSession&)>& work);

    /// withTransaction() with a record of the caller's own. With `supplierId` it takes a place at that supplier's
    /// catalog before a session, so that no work is begun in vain; without, when the work asks for its lock.
    void run(CommitRecord& record, const std::function<void(Transaction&)>& work,
             std::optional<std::int64_t> supplierId = std::nullopt);
    /// The same for somebody who acts.
    void run(CommitRecord& record, const std::function<void(Transaction&)>& work,
             std::optional<std::int64_t> supplierId, const ChangeOrigin& origin);
    /// The same for short work that may go together with others of that supplier (see TransactionGroups), on the thread
    /// of any of them.
    void runTogether(CommitRecord& record, const std::function<void(Transaction&)>& work, std::int64_t supplierId,
                     const ChangeOrigin& origin);

    /// From now on, before it is used: withSession() and withSnapshot() read over this pool, which must outlive the
    /// database, and sees what was committed before.
    void readFrom(SessionPool& reader) { _reader = &reader; }
    /// The same database, where reads follow what was written without waiting for another node.
    Database& atWriter() { return _atWriter; }

    /// Told of every commit that changes what a supplier can see.
    CommitFeed& commits() { return _commits; }

private:
    using Reading = std::function<void(PooledSession&)>;

    class AtWriter final : public Database {
    public:
        explicit AtWriter(PooledDatabase& database) : _database(database) {}

        void withSession(const std::function<void(SqlSession&)>& work) override;
        std::int64_t execute(std::string_view sql, SqlParams params) override { return _database.execute(sql, params); }
        void withTransaction(const std::function<void(Transaction&)>& work) override {
            _database.withTransaction(work);
        }
        void withSnapshot(const std::function<void(SqlSession&)>& work) override;
        CommittedNumbers committed(std::int64_t supplierId) override { return _database.committed(supplierId); }

    private:
        PooledDatabase& _database;
    };

    void runWorks(std::span<const TransactionWork> works, std::optional<std::int64_t> supplierId, bool& failedAtWork);

    /// Repeated once on a fresh session when the connection was lost, and some times with the idle sessions closed when
    /// the database can prepare no more statements.
    void readOnSession(SessionPool& pool, const Reading& reading);
    void makeRoomForStatements();
    static void readOnce(SessionPool& pool, bool fresh, const Reading& reading);
    void readSnapshot(SessionPool& pool, const std::function<void(SqlSession&)>& work);
    SessionPool& reader() { return _reader ? *_reader : _pool; }
    /// Throws the ApiError that an error amounts to, or the error itself.
    [[noreturn]] void translate(const DatabaseError& error);
    void logFileTrouble(const DatabaseError& error);
    void logAway(const std::string& reason);

    SessionPool& _pool;
    SessionPool* _reader = nullptr;
    AtWriter _atWriter{*this};
    CommittedQuestions _questions{_atWriter, _pool.hasSeveralNodes()};
    CatalogSemaphore _semaphore;
    CommitFeed _commits;
    TransactionGroups _groups;
    Logger* _log;
    const ChangeOrigin _origin;
    std::atomic<std::int64_t> _nextLog{0};
};

} // namespace supplierd::host
