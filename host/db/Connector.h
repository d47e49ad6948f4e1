#pragma once

#include "host/db/SessionSettings.h"

#include <supplierd/Database.h>

#include <Poco/Data/Session.h>

struct st_mysql;

namespace supplierd::host {

/// No session could be opened: whatever its number, the database is away.
class ConnectError final : public DatabaseError {
public:
    using DatabaseError::DatabaseError;
};

/// Opens one session: utf8mb4, time-outs, TLS or Unix socket, no reconnection; then strict SQL mode, UTC, READ
/// COMMITTED, autocommit, and the limits of the settings. UPDATE reports the rows it matched, not the rows it changed.
/// Of several nodes it is the first one that can be written to (chooseWriter()), asked anew each time.
/// Blocks for up to connectTimeout, of several nodes for some times failoverAfter. Thread: any. Throws ConnectError
/// with the client library's or the server's number.
Poco::Data::Session openSession(const SessionSettings& settings);

/// The client library's handle of such a session. Throws std::logic_error for any other.
st_mysql* handleOf(Poco::Data::Session& session);
/// Or it is MySQL.
bool isMariaDb(st_mysql* handle);

} // namespace supplierd::host
