#include "host/db/PooledSession.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace supplierd::host {

namespace {

/// Of the next transaction only.
constexpr std::string_view SNAPSHOT_LEVEL_SQL = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";
constexpr std::string_view BEGIN_READING_SQL = "START TRANSACTION READ ONLY";

} // namespace

PooledSession::PooledSession(Poco::Data::Session session, std::shared_ptr<StatementLimit> limit)
    : _session(std::move(session)), _handle(handleOf(_session)), _statements(_handle, _health, std::move(limit)) {}

PooledSession::~PooledSession() {
    // First, so that the kept statements are let go without a word to the server for each.
    _session.close();
}

void PooledSession::makeInterruptible() {
    _interruptDescriptor.reset(::fcntl(mysql_get_socket(_handle), F_DUPFD_CLOEXEC, 0));
}

void PooledSession::interrupt() const noexcept {
    if (_interruptDescriptor.get() >= 0)
        ::shutdown(_interruptDescriptor.get(), SHUT_RDWR);
}

Rows& PooledSession::query(std::string_view sql, SqlParams params) {
    return start(sql, params);
}

std::int64_t PooledSession::execute(std::string_view sql, SqlParams params) {
    PreparedStatement& statement = start(sql, params);
    const std::int64_t rows = statement.affectedRows();
    _lastInsertId = statement.lastInsertId();
    closeResult();
    return rows;
}

PreparedStatement& PooledSession::start(std::string_view sql, SqlParams params) {
    requireReady();
    PreparedStatement* statement = &_statements.get(sql);
    if (_refusesWrites && statement->writes())
        throw std::logic_error("Database::withSession() and read() only read; write with execute(), withTransaction() "
                               "or Request::transact(): " +
                               std::string(sql));
    _effects += statement->hasEffects() ? 1 : 0;
    try {
        statement->execute(params);
    } catch (const DatabaseError& error) {
        if (!isStaleStatement(error.code()))
            throw;
        _statements.forget(sql);
        statement = &_statements.get(sql);
        statement->execute(params);
    }
    if (statement->hasResult())
        _reading = statement;
    if (inTransaction() && (_handle->server_status & SERVER_STATUS_IN_TRANS) == 0)
        noteEnd(statement->hasResult());
    return *statement;
}

/// A node of Galera that undid the transaction for another node's tells the next statement, with 1213; but not a SELECT
/// that is executed for the first time (MariaDB 10.11): it stands alone then, and what is written behind it would be
/// committed statement by statement.
void PooledSession::noteEnd(bool isOfSelect) {
    constexpr unsigned DEADLOCK = 1213;
    _hasCommitted |= !isOfSelect; // prepareCommit() tells
    if (_hasCommitted)
        return;
    const DatabaseError error(DEADLOCK, "the transaction was undone, and a SELECT was executed all the same");
    _health.note(error);
    throw DatabaseError(error);
}

void PooledSession::closeResult() {
    if (!_reading)
        return;
    PreparedStatement* const statement = _reading;
    _reading = nullptr;
    statement->close();
}

Poco::Data::Session& PooledSession::poco() {
    requireReady();
    ++_effects;
    return _session;
}

void PooledSession::requireReady() {
    _health.requireUsable();
    closeResult();
    readReplies();
}

void PooledSession::run(std::string_view sql) {
    requireReady();
    command(sql);
    discardResults();
}

void PooledSession::discardResults() {
    for (;;) {
        if (MYSQL_RES* const result = mysql_store_result(_handle))
            mysql_free_result(result);
        else if (mysql_errno(_handle) != 0)
            fail("cannot read a result");
        const int more = mysql_next_result(_handle);
        if (more > 0)
            fail("cannot read a result");
        if (more < 0)
            return;
    }
}

void PooledSession::command(std::string_view sql) {
    if (mysql_real_query(_handle, sql.data(), static_cast<unsigned long>(sql.size())) != 0)
        fail(sql.substr(0, 200));
}

void PooledSession::send(std::string_view sql) {
    if (mysql_send_query(_handle, sql.data(), static_cast<unsigned long>(sql.size())) != 0)
        fail(sql);
    ++_unread;
}

/// None of these replies brings rows. A refusal would leave open what was to be ended, or the next transaction with the
/// wrong isolation level: the session cannot be used any more then.
void PooledSession::readReplies() {
    while (_unread > 0) {
        --_unread;
        if (mysql_read_query_result(_handle) == 0)
            continue;
        const DatabaseError error = connectionError(_handle, "a snapshot could not be begun or ended");
        _health.breakWith(error);
        throw DatabaseError(error);
    }
}

void PooledSession::beginSnapshot() {
    requireReady();
    // Both at once: the server works on the second while the reply to the first is on its way.
    send(SNAPSHOT_LEVEL_SQL);
    send(BEGIN_READING_SQL);
    readReplies();
    _hasCommitted = false;
    _health.transactionBegan();
}

void PooledSession::endSnapshot() {
    closeResult();
    _health.requireUsable();
    send("ROLLBACK");
    _health.transactionEnded();
}

void PooledSession::begin() {
    requireReady();
    command("START TRANSACTION");
    _hasCommitted = false;
    _health.transactionBegan();
}

void PooledSession::prepareCommit() {
    _health.requireUsable();
    closeResult();
    _health.requireUsable();
    if (!inTransaction() || (_handle->server_status & SERVER_STATUS_IN_TRANS) == 0)
        throw std::logic_error("a statement ended the transaction before its COMMIT");
}

void PooledSession::commit() {
    command("COMMIT");
    _health.transactionEnded();
}

void PooledSession::rollback() {
    try {
        closeResult();
    } catch (const DatabaseError&) {
        // It is in the health already; whatever the unread rows end with, the transaction must not stay open.
    }
    if (broken())
        return;
    try {
        readReplies();
        command("ROLLBACK");
    } catch (const DatabaseError& error) {
        _health.breakWith(error);
        throw;
    }
    _health.transactionEnded();
}

void PooledSession::abandonTransaction(const DatabaseError& reason) {
    _health.abandonTransaction(reason);
    throw DatabaseError(reason);
}

bool PooledSession::ping() {
    if (broken())
        return false;
    closeResult();
    try {
        readReplies();
    } catch (const DatabaseError&) {
        return false; // it is in the health already
    }
    if (mysql_ping(_handle) == 0)
        return true;
    const DatabaseError error = connectionError(_handle, "the session did not answer");
    _health.breakWith(error);
    return false;
}

bool PooledSession::tidy() noexcept {
    try {
        if (broken())
            return false;
        _refusesWrites = false;
        closeResult();
        // With a reply unread, the server's status is not known yet; what is unread ends a snapshot.
        if (inTransaction() || (_unread == 0 && (_handle->server_status & SERVER_STATUS_IN_TRANS) != 0))
            rollback();
        // Poco's own begin() turns autocommit off and leaves it so.
        if ((_handle->server_status & SERVER_STATUS_AUTOCOMMIT) == 0)
            run("SET autocommit = 1");
        return !broken();
    } catch (const std::exception&) {
        // Whatever is wrong with it, closing the connection rolls back and frees everything.
        return false;
    }
}

void PooledSession::fail(std::string_view doing) {
    const DatabaseError error = connectionError(_handle, doing);
    _health.note(error);
    throw DatabaseError(error);
}

} // namespace supplierd::host
