#pragma once

#include "host/db/SessionSettings.h"

#include <Poco/Data/Session.h>

#include <cstddef>
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
    std::size_t members = 0; ///< how many these are, without those that hold no data. Of Galera only
    std::int64_t committed = 0; ///< the number of the cluster's last commit that it has. Of Galera only
    /// The session there that says for all to see that the disk is full (NodeProbe); 0: none does. Of Galera only.
    std::uint64_t markedFullBy = 0;
    /// The same, of a server that writes elsewhere than to the first node (ReadLease.h).
    std::uint64_t markedElsewhereBy = 0;
    /// Outside of a cluster: a thread of it executes what another server sends. What a client writes meanwhile may be
    /// overwritten by that.
    bool isReplicating = false;
    std::string written;  ///< of MariaDB outside of Galera: the last transactions in its binary log (gtid_binlog_pos)
    std::string received; ///< the same: the last ones that it has executed as a replica (gtid_slave_pos)

    /// What it has differs from what the others have, such as after its disk was full. It stays out until a restart.
    bool isInconsistent() const { return stateName == "Inconsistent"; }

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

/// Three round trips, the first two answered also by a node that takes no other statements. Throws DatabaseError.
NodeReport askNode(Poco::Data::Session& session);

/// Asks one node time and again over a session that is kept. Thread: one.
///
/// It also marks a node of Galera, for all who ask it: as one whose disk is full, since that answers every question as
/// before, or because this server writes elsewhere than to the first node. A mark is a user lock, which each session of
/// that node sees at once and which needs neither room nor a right nor the cluster. One server has it, which is enough
/// for all that want it. It ends with the session, and that when this process or its machine is gone.
class NodeProbe {
public:
    /// What it is to be marked as; what it is not, the own mark is taken back of.
    struct Marks {
        bool isFull = false;
        bool isElsewhere = false;
    };

    struct Answer {
        std::optional<NodeReport> report; ///< nothing: it cannot be used
        std::string problem;              ///< why there is none
        bool lacksSessions = false;       ///< it lives, and has none free: nothing is known of its state
        bool refusesMarks = false;        ///< it takes no user locks, as some builds of Galera may be set to
    };

    /// `node`: of one node.
    explicit NodeProbe(SessionSettings node);

    /// Takes a few times `failoverAfter` at most.
    Answer ask(const Marks& marks);
    Answer ask() { return ask(Marks()); }

private:
    Answer look(const Marks& marks);

    SessionSettings _settings;
    std::optional<Poco::Data::Session> _session;
};

} // namespace supplierd::host
