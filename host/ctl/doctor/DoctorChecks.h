#pragma once

#include "host/config/Settings.h"
#include "host/ctl/doctor/AdminClient.h"
#include "host/plugins/Finding.h"
#include "host/plugins/PluginSet.h"

#include <string>

namespace supplierd::host {

class ControlContext;
class PooledSession;

// The examinations of `supplierctl doctor`. Each adds what it found, good news included, and throws nothing for what
// it came to find. None changes anything.

/// Who can change the configuration and the plugins, free disk space.
void checkFiles(const Settings& settings, Findings& findings);

/// The folder of the images: there, writable for the server's user, not full. Nothing when no plugin keeps images.
void checkMediaRoot(const Settings& settings, const PluginSet& plugins, const ServerUser& user, Findings& findings);

/// Reachable, version, durability, character set, limits, clock, schema. True when the
/// schema is the one that this release needs, so that more can be asked of it.
bool checkDatabase(const Settings& settings, const PluginSet& plugins, Findings& findings);

/// What to do about an error number of the database or its client library.
std::string fixOfDatabaseError(unsigned code);

/// Whether what is acknowledged survives a crash of the database's machine.
void checkDurability(PooledSession& session, const std::string& subject, Findings& findings);

/// Whether the database's clock is this machine's: of several nodes, servers count each other's rows by each.
void checkClock(PooledSession& session, const std::string& subject, Findings& findings);

/// Each of several servers of the database: its state, how it replicates, and whether they are what they are taken for.
void checkNodes(const DatabaseSettings& database, Findings& findings);

/// Whether the database lets transactions be written to its binary log as it is set up.
void checkBinaryLog(PooledSession& session, Findings& findings);

/// Whether another server of a database on this machine has its temporary files in the same folder, as far as this
/// user may see that.
void checkTemporaryFolder(PooledSession& session, const std::string& subject, Findings& findings);

/// Whether Redis, where it is configured, can be used for all that it is needed for.
void checkRedis(const Settings& settings, Findings& findings);

/// Which servers run on this database, whether they count rate limits together, and whether they go to the servers of
/// the database in one order.
void checkServers(ControlContext& context, Findings& findings);

/// Whether the server runs, is ready, answers at its addresses or could, and is what is installed and configured.
void checkServer(const Settings& settings, const ServerSighting& seen, Findings& findings);

} // namespace supplierd::host
