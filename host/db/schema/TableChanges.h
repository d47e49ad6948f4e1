#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The tables that the statements of a migration make and take away, by name as it is stored. Read from CREATE TABLE,
/// DROP TABLE, RENAME TABLE and ALTER TABLE … RENAME TO; a table of another database and a temporary one are none.
struct TableChanges {
    std::set<std::string> created; ///< at some moment; it may be gone again at the end
    std::set<std::string> dropped; ///< not there any more at the end

    static TableChanges of(const std::vector<std::string>& statements);
};

/// As a statement names it: a name cannot be bound. For those that the database itself tells.
std::string quotedTable(std::string_view name);

} // namespace supplierd::host
