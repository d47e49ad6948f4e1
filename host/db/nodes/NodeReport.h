#pragma once

#include "host/db/SessionSettings.h"

#include <Poco/Data/Session.h>

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

    static constexpr int DONOR = 2;
    static constexpr int JOINED = 3;
    static constexpr int SYNCED = 4;
};

enum class NodeFitness {
    Unfit,
    Behind, ///< takes writes, but has some to catch up with: good enough to stay with, or for want of another
    InStep
};

/// May it be written to? With the reason when not, or its state.
std::pair<NodeFitness, std::string> judge(const NodeReport& report);

/// Two round trips, answered also by a node that takes no other statements. Throws DatabaseError.
NodeReport askNode(Poco::Data::Session& session);

/// Asks one node time and again over a session that is kept. Thread: one.
class NodeProbe {
public:
    struct Answer {
        std::optional<NodeReport> report; ///< nothing: it cannot be used
        std::string problem;              ///< why there is none
        bool isFull = false;              ///< it lives, and has no session free: nothing is known of its state
    };

    /// `node`: of one node.
    explicit NodeProbe(SessionSettings node);

    /// Takes a few times `failoverAfter` at most.
    Answer ask();

private:
    SessionSettings _settings;
    std::optional<Poco::Data::Session> _session;
};

} // namespace supplierd::host
