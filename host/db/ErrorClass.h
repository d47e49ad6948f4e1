#pragma once

#include <supplierd/Errors.h>

#include <mysql/mysql.h>

#include <string>
#include <string_view>

namespace supplierd {
class DatabaseError;
}

namespace supplierd::host {

/// What follows from an error number, whether it is the server's or the client library's.

/// The session cannot be used any more.
bool endsSession(unsigned code) noexcept;
/// The server has undone the whole transaction, or it has to be treated so (1205).
bool endsTransaction(unsigned code) noexcept;
/// The database cannot serve us now: it cannot be reached, was lost, is shutting down, full, or read-only after a
/// failover.
bool isAway(const DatabaseError& error) noexcept;
/// The database answers, and does not let this account in.
bool refusesLogin(unsigned code) noexcept;
/// The account is good, but there is no such database, or not for it.
bool lacksDatabase(unsigned code) noexcept;
/// COMMIT failed, and whether it took effect is not said.
bool isOpenCommit(unsigned code) noexcept;
/// The statement's time limit was exceeded.
bool isTimeLimit(unsigned code) noexcept;
/// A table was changed after the snapshot that the statement reads. A later snapshot may read it.
bool isTableChange(unsigned code) noexcept;
/// The database's disk is full.
bool lacksRoom(unsigned code) noexcept;
/// The server could not use a file of its own, such as one that a temporary table is in: its library's numbers. It
/// finds out, too, when it clears up after a statement that has taken effect.
bool isFileTrouble(unsigned code) noexcept;
/// A statement that ended so may have been executed, or may yet be: the server was not heard to the end, somebody
/// interrupted it, or it waited too long for what another holds.
bool leavesOutcomeOpen(unsigned code) noexcept;
/// The server no longer knows the prepared statement, or its result has other columns: prepare it again.
bool isStaleStatement(unsigned code) noexcept;

/// The database keeps no more prepared statements (max_prepared_stmt_count), whoever's they are.
bool isStatementLimit(unsigned code) noexcept;

DatabaseError connectionError(MYSQL* handle, std::string_view doing);
DatabaseError statementError(MYSQL_STMT* statement, MYSQL* handle, std::string_view sql);

/// A read has found that the node is closed for writes: as good as a refused write. It endsSession().
DatabaseError closedForWrites();

ApiError databaseAway();
ApiError databaseBusy();
/// The connection was lost while a change was being saved.
ApiError outcomeUnknown();

} // namespace supplierd::host
