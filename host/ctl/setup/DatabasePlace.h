#pragma once

#include "host/db/SessionSettings.h"

#include <string>

namespace supplierd::host {

/// Where a database server listens, as people write it: "db.example:3306" or the path of a socket.
std::string placeOf(const SessionSettings& session);

/// Takes "db.example", "db.example:3307", "[::1]:3306" or "/run/mysqld/mysqld.sock". Throws CommandFailure (Usage).
void takePlace(SessionSettings& session, const std::string& answer);

} // namespace supplierd::host
