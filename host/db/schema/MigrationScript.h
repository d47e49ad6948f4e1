#pragma once

#include "host/db/schema/SchemaHistory.h"
#include "host/db/schema/TableChanges.h"

#include <supplierd/Plugin.h>

#include <cstddef>
#include <string>
#include <vector>

namespace supplierd::host {

/// The migrations of the core or of one plugin, numbered 1..n.
struct MigrationSet {
    std::string component; ///< "core" or the plugin's id
    std::vector<Migration> migrations;
};

/// One migration that is still to be applied, wholly or from a statement on.
struct MigrationStep {
    std::string component;
    int number = 0;
    std::string name;
    std::size_t statementsDone = 0;
    std::size_t statementsTotal = 0;
};

/// "media/0002_store".
std::string nameOf(const MigrationStep& step);

/// A migration with what follows from its text.
struct MigrationScript {
    SchemaHistory::Key key;
    std::string name;
    std::string checksum; ///< SHA-256 of the file, in hexadecimal digits
    std::vector<std::string> statements;
    TableChanges tables;
    /// It takes away what the release before uses: its first line is "-- contract".
    bool contracts = false;

    /// In the order of the sets. Throws MigrationError when a set is not numbered 1..n or a text cannot be split.
    static std::vector<MigrationScript> of(const std::vector<MigrationSet>& sets);

    MigrationStep step() const { return {key.first, key.second, name, 0, statements.size()}; }
};

} // namespace supplierd::host
