#pragma once

#include "host/db/SessionSettings.h"

#include <Poco/Data/Session.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace supplierd::host {

/// What a server of the database says of itself. A value.
struct NodeReport {
    bool isGalera = false;
    bool isReady = true;     ///< takes statements: part of the cluster that has the majority, and not busy as a donor
    bool isReadOnly = false; ///< a replica, or closed for writes by its operator
    int state = SYNCED;      ///< wsrep_local_state
    std::string stateName;   ///< "Synced", "Donor/Desynced"…; "" outside of Galera
    std::string cluster;     ///< of nodes with the same one each write reaches all; "" alone, or primary and replicas
    std::string membership;  ///< the same on all nodes that see one another; "" when there is none
    /// The session there that says for all to see that the disk is full (NodeProbe); 0: none does. Of Galera only.
    std::uint64_t markedFullBy = 0;
    /// Outside of a cluster: a thread of it executes what another server sends. What a client writes meanwhile may be
    /// overwritten by that.
    bool isReplicating = false;
    std::string written;  ///< of MariaDB outside of Galera: the last transactions in its binary log (gtid_binlog_pos)
    std::string received; ///< the same: the last ones that it has executed as a replica (gtid_slave_pos)

    static constexpr int DONOR = 2;
    static constexpr int JOINED = 3;
    static constexpr int SYNCED = 4;

    bool isFull() const { return markedFullBy != 0; }
    /// It answers, and is not to be written to, or only for want of another: so says everybody who asks it.
    bool isClosed() const { return isReadOnly || isFull(); }
};

enum class NodeFitness {
    Unfit,
    Behind, ///< takes writes, but has some to catch up with: good enough to stay with, or for want of another. Or full
    InStep
};

/// May it be written to? With the reason when not, or its state.
std::pair<NodeFitness, std::string> judge(const NodeReport& report);

/// Whether `later`, a former replica, has all that was written on `former`. That is known only of one that was closed
/// for writes when it was asked for the last time, so that nothing came after what it said.
bool hasAllOf(const NodeReport& later, const NodeReport& former);

/// Three round trips, the first two answered also by a node that takes no other statements. Throws DatabaseError.
NodeReport askNode(Poco::Data::Session& session);

/// Asks one node time and again over a session that is kept. Thread: one.
///
/// A node of Galera whose disk is full answers every question as before. Who finds that out marks it: by a lock of this
/// name, which each session of that node sees at once and which needs neither room nor a right nor the cluster. It ends
/// with the session.
class NodeProbe {
public:
    struct Answer {
        std::optional<NodeReport> report; ///< nothing: it cannot be used
        std::string problem;              ///< why there is none
        bool lacksSessions = false;       ///< it lives, and has none free: nothing is known of its state
    };

    /// `node`: of one node.
    explicit NodeProbe(SessionSettings node);

    /// Marks the node as full, unless it is marked already, or takes its own mark back. Takes a few times
    /// `failoverAfter` at most.
    Answer ask(bool marksFull = false);

private:
    NodeReport look(bool marksFull);

    SessionSettings _settings;
    std::optional<Poco::Data::Session> _session;
};

} // namespace supplierd::host
