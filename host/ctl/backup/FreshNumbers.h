#pragma once

#include "host/ctl/client/ServerConnection.h"
#include "host/plugins/PluginSet.h"

#include <supplierd/Database.h>

#include <cstdint>

namespace supplierd::host {

class ControlContext;

/// What is migrated: a list of { component, number, name }. Throws DatabaseError.
ResponseJson appliedSchema(Database& database);

/// What a restore gives anew, so that no number and no id stands for two things: clients, readers of the change log,
/// caches and third parties remember those that were given after the backup was made.
struct FreshNumbers {
    std::int64_t raisedBy = 0; ///< each supplier's change number, and what plugins raise
    std::int64_t rows = 0;     ///< of plugins, that got new numbers
    std::int64_t tables = 0;   ///< whose ids go on higher
};

/// The enabled plugins, none of them started: their descriptions have the statements for giveFreshNumbers(). Throws
/// CommandFailure when one cannot be loaded, or the schema has migrations of one that is not enabled.
PluginSet ownersOfNumbers(ControlContext& context, const ResponseJson& schema);

/// In the database that was restored, before servers serve it; beside them it does no harm. May be repeated, also when
/// it was cut short.
/// - Every supplier's change number, and the marketplace's, is raised: by a hundred for each second since the last
///   entry of the change log, at least by 16 million. The log has a gap then, by which its readers know that they have
///   to read anew (ChangePage::isComplete).
/// - The plugins' own statements do the rest (PluginDescription::renumber). One of a plugin whose migrations are not
///   all applied is left out when it names what is not there yet.
/// - Ids that the database gives go on a million higher.
/// Throws DatabaseError.
FreshNumbers giveFreshNumbers(Database& database, const PluginSet& owners);

} // namespace supplierd::host
