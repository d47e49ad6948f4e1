#pragma once

#include "host/db/SessionSettings.h"
#include "host/db/schema/SchemaHistory.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace supplierd::host {

/// What removing a component's data would take away.
struct RemovalPlan {
    struct Table {
        std::string name;
        std::int64_t rows = 0; ///< as the database estimates them
    };
    struct Reference {
        std::string table; ///< not one of the component's
        std::string constraint;
        std::string target; ///< one of the component's
    };

    std::vector<Table> tables;         ///< those that are there; in no order
    std::vector<Reference> references; ///< foreign keys of others: with one, nothing can be removed
    std::size_t migrations = 0;        ///< records; 0 with tables: an earlier removal was interrupted
    bool isRecorded = false;           ///< anything of the component is on record
};

/// Removes what the migrations of a plugin have made, by the records in the database: its file need not exist any more.
/// Interrupted anywhere, it goes on from there the next time. Thread: one.
class SchemaRemoval {
public:
    /// Connects to nothing yet.
    SchemaRemoval(SessionSettings settings, std::string component);

    /// Changes nothing. Throws DatabaseError.
    RemovalPlan plan();
    /// Drops the tables and forgets the migrations, under the lease on the schema. `notice` is told what is waited for.
    /// Throws MigrationError when the foreign keys of others keep a table, or somebody migrates; DatabaseError.
    void run(const std::function<void(const std::string&)>& notice = {});

private:
    RemovalPlan plan(PooledSession& session);

    SessionSettings _settings;
    std::string _component;
};

/// "foreign key order_items_product of order_items on products".
std::string describe(const RemovalPlan::Reference& reference);

} // namespace supplierd::host
