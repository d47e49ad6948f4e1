#pragma once

#include "host/base/OwnedDescriptor.h"
#include "host/db/SessionHealth.h"
#include "host/db/StatementCache.h"
#include "host/db/nodes/NodeSession.h"

#include <supplierd/Database.h>

#include <Poco/Data/Session.h>

#include <mysql/mysql.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

namespace supplierd::host {

/// One database session with its kept statements. Thread: one at a time.
///
/// After a connection error it is broken() for good: every further call throws that error again. After a deadlock or
/// lock wait time-out inside a transaction, every further call throws that error until rollback(): the server has
/// undone the transaction, and a statement that ran on would be committed alone.
class PooledSession final : public SqlSession {
public:
    using Clock = std::chrono::steady_clock;

    /// `session` comes from openSession(); `limit` is shared with the other sessions of a pool.
    explicit PooledSession(Poco::Data::Session session,
                           std::shared_ptr<StatementLimit> limit = std::make_shared<StatementLimit>());
    /// Closes the connection; the server rolls back what is open.
    ~PooledSession();
    PooledSession(const PooledSession&) = delete;
    PooledSession& operator=(const PooledSession&) = delete;

    using SqlSession::execute;
    using SqlSession::query;
    Rows& query(std::string_view sql, SqlParams params) override;
    std::int64_t execute(std::string_view sql, SqlParams params) override;
    std::int64_t lastInsertId() const override { return _lastInsertId; }
    /// The session underneath, which may write or lock.
    Poco::Data::Session& poco();

    /// Runs one statement without preparing or keeping it (DDL, SET); a result is read and thrown away.
    void run(std::string_view sql);

    /// From now on, until tidy(), query() and execute() refuse what writes (std::logic_error).
    void refuseWrites() { _refusesWrites = true; }

    void begin();
    /// Ends what is open, and throws when there is nothing to commit any more: the transaction was undone, the session
    /// lost, or a statement committed implicitly (std::logic_error). After a throw COMMIT was certainly not sent.
    void prepareCommit();
    /// Sends COMMIT and nothing else. A DatabaseError leaves the outcome unknown, but for 1213, which is a rollback.
    void commit();
    /// Does nothing on a broken session: the server rolls back when the connection closes. Throws DatabaseError, and
    /// the session is broken then.
    void rollback();
    /// Begins a read-only transaction whose statements all see what was committed at the first of them.
    void beginSnapshot();
    /// Ends it without waiting for the server's reply, which the next use of the session reads first.
    void endSnapshot();
    bool inTransaction() const { return _health.inTransaction(); }
    /// Grows with each statement that writes or locks, and with each use of poco(), which may do either.
    std::uint64_t effects() const { return _effects; }

    bool broken() const { return _health.broken(); }
    /// Whether a statement that may write has found the database's disk full since the last such question. What only
    /// reads can fill a temporary file.
    bool takeLackOfRoom() { return _health.takeLackOfRoom() && !_refusesWrites; }
    /// Gives the transaction up: every further call throws `reason` until rollback(), whoever swallows it.
    [[noreturn]] void abandonTransaction(const DatabaseError& reason);
    /// Makes the session broken(), so that the pool drops it.
    void discard(const DatabaseError& reason) { _health.breakWith(reason); }
    /// One round trip; false when the session is gone (and broken() then).
    bool ping();
    /// Makes the session ready for its next user: nothing half-read, no transaction, autocommit on. False: drop it.
    bool tidy() noexcept;

    /// So that interrupt() works: it costs a file descriptor.
    void makeInterruptible();
    /// Whoever waits for the server's answer gets error 2013. Thread: any, while the session lives.
    void interrupt() const noexcept;
    /// Of a database with several nodes.
    const NodeSession& node() const { return _node; }
    void setNode(const NodeSession& node) { _node = node; }

    Clock::time_point openedAt() const { return _openedAt; }
    Clock::time_point idleSince() const { return _idleSince; }
    void markIdle(Clock::time_point now) { _idleSince = now; }
    std::size_t keptStatements() const { return _statements.size(); }

private:
    PreparedStatement& start(std::string_view sql, SqlParams params);
    /// Throws what ended the session or the transaction; then nothing of earlier statements is left to be read.
    void requireReady();
    /// A statement was executed outside of the transaction that it belongs to.
    void noteEnd(bool isOfSelect);
    void command(std::string_view sql);
    void send(std::string_view sql);
    void readReplies();
    void discardResults();
    void closeResult();
    [[noreturn]] void fail(std::string_view doing);

    Poco::Data::Session _session;
    MYSQL* _handle;
    SessionHealth _health;
    StatementCache _statements;
    PreparedStatement* _reading = nullptr;
    unsigned _unread = 0; ///< commands that were sent and whose replies were not read yet
    bool _refusesWrites = false;
    bool _hasCommitted = false; ///< a statement did, implicitly: what is open for us is not for the server
    std::int64_t _lastInsertId = 0;
    std::uint64_t _effects = 0;
    OwnedDescriptor _interruptDescriptor; ///< a duplicate: the client library closes its own when it likes
    NodeSession _node;
    Clock::time_point _openedAt = Clock::now();
    Clock::time_point _idleSince = _openedAt;
};

} // namespace supplierd::host
