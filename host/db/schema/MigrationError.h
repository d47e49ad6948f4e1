#pragma once

#include <stdexcept>
#include <string>

namespace supplierd::host {

/// The schema cannot be migrated: a changed file, a failed statement, somebody else migrating. what() is for the
/// operator.
class MigrationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    static MigrationError leaseLost() {
        return MigrationError("the lease on the schema was lost while migrating (the database was away, or this "
                              "process stood still); run `supplierctl migrate` again to go on");
    }
};

} // namespace supplierd::host
