#pragma once

#include "host/db/SessionSettings.h"

#include <supplierd/Database.h>

#include <Poco/Data/Session.h>

namespace supplierd::host {

/// No session could be opened: whatever its number, the database is away.
class ConnectError final : public DatabaseError {
public:
    using DatabaseError::DatabaseError;
};

/// Opens one session: utf8mb4, time-outs, TLS or Unix socket, no reconnection; then strict SQL mode, UTC, READ
/// COMMITTED, autocommit, and the limits of the settings. UPDATE reports the rows it matched, not the rows it changed.
/// Blocks for up to connectTimeout. Thread: any. Throws ConnectError with the client library's or the server's number.
Poco::Data::Session openSession(const SessionSettings& settings);

} // namespace supplierd::host
