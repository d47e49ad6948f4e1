#pragma once

#include "host/db/SessionSettings.h"

#include <Poco/Data/Session.h>

#include <chrono>
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
    /// Outside of a cluster: a thread of it executes what another server sends. What a client writes meanwhile may be
    /// overwritten by that.
    bool isReplicating = false;

    // Of Galera only:
    std::string identity; ///< of this process in its cluster (wsrep_gcomm_uuid)
    /// Which set of members it belongs to (wsrep_cluster_conf_id): the cluster counts them, and the members of one
    /// never change. 0: to none that may commit.
    std::int64_t view = 0;
    std::size_t members = 0;    ///< of that view, without arbitrators, which hold no data
    std::int64_t committed = 0; ///< the number of the cluster's last commit that it has
    /// It may believe that it is a member for so long after the others have gone on without it.
    std::chrono::milliseconds noticesLeftOutAfter{0};
    std::string unsafe; ///< what in its settings lets it answer although others go on without it; "": nothing
    std::uint64_t markedFullBy = 0; ///< the session there that says for all that the disk is full (NodeProbe); 0: none

    static constexpr int DONOR = 2;
    static constexpr int JOINED = 3;
    static constexpr int SYNCED = 4;

    /// What it has differs from what the others have, such as after its disk was full. It stays out until a restart.
    bool isInconsistent() const { return stateName == "Inconsistent"; }
    bool isFull() const { return markedFullBy != 0; }
};

enum class NodeFitness {
    Unfit,
    Behind, ///< takes writes, but has some to catch up with: good enough to stay with, or for want of another. Or full
    InStep
};

/// May it be written to? With the reason when not, or its state.
std::pair<NodeFitness, std::string> judge(const NodeReport& report);

/// What a look at a node has seen holds for so long: a node of Galera whose settings let others go on without it
/// sooner is not used (NodeReport::unsafe).
constexpr std::chrono::milliseconds LOOK_HOLDS{1'000};

/// What these `wsrep_provider_options` mean for a node; those that are not named there are as Galera comes.
void judgeOptions(const std::string& options, NodeReport& report);

/// Three round trips, the first two answered also by a node that takes no other statements. Throws DatabaseError.
NodeReport askNode(Poco::Data::Session& session);

/// Asks one node time and again over a session that is kept. Thread: one.
///
/// It also marks a node of Galera whose disk is full, for all who ask it, since that answers every question as before.
/// The mark is a user lock, which each session of that node sees at once and which needs neither room nor a right nor
/// the cluster. It ends with its session, and so when this process or its machine is gone.
class NodeProbe {
public:
    struct Answer {
        std::optional<NodeReport> report; ///< nothing: it cannot be used
        std::string problem{};            ///< why there is none
        bool lacksSessions = false;       ///< it lives, and has none free: nothing is known of its state
    };

    /// `node`: of one node.
    explicit NodeProbe(const SessionSettings& node) : _settings(node.within(node.failoverAfter)) {}

    /// Takes a few times `failoverAfter` at most. `isFull`: it is to be marked so; else the own mark is removed.
    Answer ask(bool isFull = false);

private:
    NodeReport look(bool isFull);

    const SessionSettings _settings;
    std::optional<Poco::Data::Session> _session;
};

} // namespace supplierd::host
