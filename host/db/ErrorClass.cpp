#include "host/db/ErrorClass.h"

#include "host/db/Connector.h"

#include <supplierd/Database.h>

#include <mysql/errmsg.h>

namespace supplierd::host {

namespace {

constexpr std::size_t SHOWN_SQL = 200;
constexpr unsigned READ_ONLY = 1290; // a former primary, or a node that its operator empties

/// The beginning of a statement that stands on several lines in the source.
std::string onOneLine(std::string_view sql) {
    std::string line;
    for (const char c : sql.substr(0, SHOWN_SQL)) {
        const bool isSpace = c == ' ' || c == '\n' || c == '\t';
        if (!isSpace)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

/// The database answers, but not for us now.
bool isRefusal(unsigned code) {
    switch (code) {
    case 1040: // too many connections
    case 1047: // a cluster node that is not part of the primary component
    case 1129: // host blocked
    case 1203: // too many connections of this user
    case READ_ONLY:
    case 1836: // read-only mode
        return true;
    default:
        return false;
    }
}

} // namespace

bool endsSession(unsigned code) noexcept {
    // 2000-2029: the client library could not speak to the server, or the two are out of step. The numbers above, but
    // for those that isConnectionLost() knows, are wrong uses of a statement.
    if (code >= 2000 && code < 2030)
        return true;
    return isRefusal(code) || DatabaseError(code, {}).isConnectionLost();
}

bool endsTransaction(unsigned code) noexcept {
    switch (code) {
    case 1205: // lock wait time-out
    case 1206: // lock table full
    case 1213: // deadlock, or refused by the cluster's certification
        return true;
    default:
        return false;
    }
}

bool isAway(const DatabaseError& error) noexcept {
    return error.isConnectionLost() || isRefusal(error.code()) || dynamic_cast<const ConnectError*>(&error) != nullptr;
}

bool refusesLogin(unsigned code) noexcept {
    switch (code) {
    case 1045: // access denied
    case 1130: // not from this host
    case 1251: // another way of authentication
    case 1698: // access denied, without a password to blame
    case 1862: // password expired
    case 2059: // an authentication plugin that this client has not
    case 4151: // the account is locked
        return true;
    default:
        return false;
    }
}

bool lacksDatabase(unsigned code) noexcept {
    return code == 1044 || code == 1049;
}

bool isOpenCommit(unsigned code) noexcept {
    return code == 1180; // of a cluster's node that is being cut off
}

bool isTimeLimit(unsigned code) noexcept {
    return code == 1969 || code == 3024;
}

bool isTableChange(unsigned code) noexcept {
    return code == 1412;
}

bool lacksRoom(unsigned code) noexcept {
    return code == 1021 || code == 1114; // disk full; "the table is full", which of InnoDB says the same
}

bool isFileTrouble(unsigned code) noexcept {
    constexpr unsigned FIRST_OF_STORAGE_ENGINES = 120;
    return code > 0 && code < FIRST_OF_STORAGE_ENGINES;
}

bool leavesOutcomeOpen(unsigned code) noexcept {
    constexpr unsigned INTERRUPTED = 1317;
    constexpr unsigned CONNECTION_KILLED = 1927;
    return endsSession(code) || endsTransaction(code) || isTimeLimit(code) || isOpenCommit(code) ||
           isFileTrouble(code) || code == INTERRUPTED || code == CONNECTION_KILLED;
}

bool isStaleStatement(unsigned code) noexcept {
    return code == 1243 || code == 1615 || code == CR_NEW_STMT_METADATA;
}

bool isStatementLimit(unsigned code) noexcept {
    return code == 1461;
}

DatabaseError connectionError(MYSQL* handle, std::string_view doing) {
    const unsigned code = mysql_errno(handle);
    return {code, std::string(doing) + ": error " + std::to_string(code) + ": " + mysql_error(handle)};
}

DatabaseError statementError(MYSQL_STMT* statement, MYSQL* handle, std::string_view sql) {
    // An error that comes instead of a row is known to the connection only.
    const bool known = mysql_stmt_errno(statement) != 0;
    const unsigned code = known ? mysql_stmt_errno(statement) : mysql_errno(handle);
    const char* text = known ? mysql_stmt_error(statement) : mysql_error(handle);
    return {code, "error " + std::to_string(code) + ": " + text + ": " + onOneLine(sql)};
}

DatabaseError closedForWrites() {
    return {READ_ONLY, "the node of the database is closed for writes (read_only)"};
}

ApiError databaseAway() {
    return ApiError::unavailable("The database is not available, please try again").withRetryAfter(1);
}

ApiError databaseBusy() {
    return ApiError::unavailable("The database is busy, please try again").withRetryAfter(1);
}

ApiError outcomeUnknown() {
    return ApiError::unavailable("The database was lost while the change was being saved; it may or may not have "
                                 "taken effect")
        .withRetryAfter(5);
}

} // namespace supplierd::host
