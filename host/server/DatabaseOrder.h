#pragma once

#include "host/db/SessionSettings.h"
#include "host/db/nodes/DatabaseNodes.h"

#include <supplierd/Database.h>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// A server of the database.
struct NamedDatabase {
    std::string name;     ///< as the configuration has it, which may differ from machine to machine
    std::string server;   ///< databaseServer(); empty: not known yet
    std::string writer{}; ///< NodeReport::identity while it is written to
};

/// In failover order; one alone where the configuration names no more.
using DatabaseOrder = std::vector<NamedDatabase>;

/// From harmless to wrong.
enum class OrderMatch {
    Same,
    Unknown,  ///< whether the names mean the same is not known yet
    Shorter,  ///< the same as far as the shorter one goes
    Different ///< two that follow them may write to two servers at once
};

/// Whose orders are compared.
enum class Machines {
    One,    ///< both run on it, so that a name means the same to them
    Several ///< names that mean another server on each machine (sockets, loopback) say nothing
};

/// What the servers said of themselves counts more than that names of each machine's own are the same: these may have
/// come to mean another one since.
OrderMatch compare(const DatabaseOrder& one, const DatabaseOrder& other, Machines machines = Machines::Several);

/// JSON.
std::string toText(const DatabaseOrder& order);
/// Empty when it is none.
DatabaseOrder parseDatabaseOrder(std::string_view text);
/// The names, for people.
std::string describe(const DatabaseOrder& order);

/// Which server of the database answers, whatever it is called: its machine, port and folder.
std::string databaseServer(SqlSession& session);

/// The order that this process follows, and who its servers are. Thread: any.
class DatabaseOrderProbe {
public:
    /// `nodes` may be null, and must outlive it.
    DatabaseOrderProbe(SessionSettings settings, const DatabaseNodes* nodes);

    /// Asks those that are up and not known yet, over a session each that is closed again.
    void ask();
    /// All are to be asked again: what a name means may have changed.
    void doubt();
    DatabaseOrder order() const;

private:
    std::vector<std::size_t> due() const;

    const SessionSettings _settings;
    const DatabaseNodes* const _nodes;
    mutable std::mutex _mutex; ///< of the following
    DatabaseOrder _order;
    std::vector<bool> _isAsked; ///< and not doubted since
};

} // namespace supplierd::host
