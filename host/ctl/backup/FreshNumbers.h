#pragma once

#include <supplierd/Database.h>

#include <cstdint>

namespace supplierd::host {

/// What a restore gives anew, so that no number and no id stands for two things: clients, readers of the change log,
/// caches and third parties remember those that were given after the backup was made.
struct FreshNumbers {
    std::int64_t raisedBy = 0; ///< each supplier's change number, at least
    std::int64_t rows = 0;     ///< that were stamped anew
    std::int64_t tables = 0;   ///< whose ids go on higher
};

/// In the database that was restored, before servers serve it; beside them it does no harm. May be repeated, also when
/// it was cut short. It names no table of a plugin, but goes by columns (sdk/README.md, "Tables"):
/// - every supplier's change number, and the marketplace's, is raised: by a hundred for each second since the last
///   entry of the change log, at least by 16 million. The log has a gap then, by which its readers know that they have
///   to read anew (ChangePage::isComplete);
/// - rows with `id`, `supplier_id` and `change_seq` get numbers above all that were given, in their order, so that who
///   follows changes by number gets all of them again; what has nothing but `id` and `change_seq` counts on from there;
/// - `version` of rows with an `id` is raised by a million: it is in entity tags;
/// - ids that the database gives go on a million higher.
/// Throws DatabaseError.
FreshNumbers giveFreshNumbers(Database& database);

} // namespace supplierd::host
