#pragma once

#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"

#include <supplierd/Database.h>

#include <string>
#include <string_view>

namespace supplierd::tests {

/// Skips a test of `what`, which MySQL has not, or has in its own way: `version` is that of the server.
inline void skipOnMySql(std::string_view what, std::string_view version) {
    if (version.find("MariaDB") == std::string_view::npos)
        throw Skip(std::string(what) + " is MariaDB's alone");
}

inline void skipOnMySql(std::string_view what, TestDatabase& database) {
    skipOnMySql(what, database.text("SELECT VERSION()"));
}

inline void skipOnMySql(std::string_view what, SqlSession& session) {
    Rows& rows = session.query("SELECT VERSION()");
    const std::string version(rows.next() ? rows.text(0) : "");
    rows.next();
    skipOnMySql(what, std::string_view(version));
}

} // namespace supplierd::tests
