#include "host/db/PooledSession.h"

#include "host/db/ErrorClass.h"

#include <Poco/Data/MySQL/SessionImpl.h>

#include <stdexcept>

namespace supplierd::host {

namespace {

MYSQL* handleOf(Poco::Data::Session& session) {
    auto* const mysql = dynamic_cast<Poco::Data::MySQL::SessionImpl*>(session.impl());
    if (!mysql)
        throw std::logic_error("a session of the pool must come from openSession()");
    return mysql->handle();
}

} // namespace

PooledSession::PooledSession(Poco::Data::Session session)
    : _session(std::move(session)), _handle(handleOf(_session)), _statements(_handle, _health) {}

PooledSession::~PooledSession() {
    // First, so that the kept statements are let go without a word to the server for each.
    _session.close();
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
    _health.requireUsable();
    closeResult();
    PreparedStatement* statement = &_statements.get(sql);
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
    return *statement;
}

void PooledSession::closeResult() {
    if (!_reading)
        return;
    PreparedStatement* const statement = _reading;
    _reading = nullptr;
    statement->close();
}

void PooledSession::run(std::string_view sql) {
    _health.requireUsable();
    closeResult();
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

void PooledSession::begin() {
    _health.requireUsable();
    closeResult();
    command("START TRANSACTION");
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
        command("ROLLBACK");
    } catch (const DatabaseError& error) {
        _health.breakWith(error);
        throw;
    }
    _health.transactionEnded();
}

bool PooledSession::ping() {
    if (broken())
        return false;
    closeResult();
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
        closeResult();
        if (inTransaction() || (_handle->server_status & SERVER_STATUS_IN_TRANS) != 0)
            rollback();
        // Poco's own begin() turns autocommit off and leaves it so.
        if ((_handle->server_status & SERVER_STATUS_AUTOCOMMIT) == 0)
            command("SET autocommit = 1");
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
