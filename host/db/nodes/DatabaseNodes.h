#pragma once

#include "host/db/nodes/ClusterState.h"
#include "host/db/nodes/NodeSession.h"

#include <supplierd/Log.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::host {

/// What sessions are for.
enum class NodeRole {
    Writer, ///< everything that writes, and what must follow it at once
    Reader  ///< plain reads: the writer, unless another node is named for them
};

/// A node, for display.
struct NodeStatus {
    std::string name;
    NodeFitness fitness = NodeFitness::Unfit;
    std::string state;    ///< "Synced", "read-only", or why it cannot be used
    std::string identity; ///< NodeReport::identity
    bool isUp = false;    ///< it answers, and takes statements
    bool isWriter = false;
    bool isReader = false;
};

/// Asks the servers of a database with several, each on a thread and a session of its own, and says which one sessions
/// go to (ClusterState). No session is lent when the last look at its node is older than LOOK_HOLDS. Thread: any.
class DatabaseNodes {
public:
    struct Target {
        NodeAddress address;
        bool readsInStep = false; ///< SessionSettings::readsInStep
        NodeSession session;
    };

    /// Notified of a change of target; called without locks, from any thread.
    using Listener = std::function<void()>;

    /// Begins to watch. `readFrom`: the node of the Reader's sessions while it is part of a Galera cluster and in step;
    /// nothing: the writer. `log` may be null.
    DatabaseNodes(const SessionSettings& settings, std::optional<std::size_t> readFrom, Logger* log);
    ~DatabaseNodes();
    DatabaseNodes(const DatabaseNodes&) = delete;
    DatabaseNodes& operator=(const DatabaseNodes&) = delete;

    /// Waits for the first look at the nodes. Throws ApiError (Unavailable) when none can be used.
    Target target(NodeRole role);
    /// Else it is to be closed when it comes back.
    bool isCurrent(NodeRole role, const NodeSession& session) const noexcept {
        return part(role).epoch == session.epoch;
    }
    /// Whoever waits for an answer over it waits in vain.
    bool isLost(const NodeSession& session) const noexcept { return _losses[session.node] != session.losses; }

    /// That session was lost, or could not be opened: its node is asked at once.
    void noteLost(const NodeSession& session) noexcept { suspect(session, false); }
    /// A statement that writes found the disk full: its node is marked so while another one of its cluster is in step.
    void noteFull(const NodeSession& session) noexcept { suspect(session, true); }
    /// Returns at once when the node was looked at in the last second, and not suspected since. Throws ApiError
    /// (Unavailable).
    void awaitLook(NodeRole role);

    /// Which nodes other servers write to, by NodeReport::identity; to be noted while Overview::needsOtherWriters.
    void noteOtherWriters(std::set<std::string> identities, NodeClock::time_point asked);
    /// Other servers can read now that this one writes to that node, written since `begun`; to be noted every ten
    /// seconds or so, and at once when Overview::needsToBeShown.
    void noteShown(const std::string& identity, NodeClock::time_point begun);

    /// `listener` is called until the handle is destroyed, which waits for a call that is under way. The handle must
    /// not outlive the nodes, nor be destroyed by a listener.
    std::shared_ptr<void> listen(Listener listener);

    std::vector<NodeStatus> status() const;
    /// What follows from the last looks, for whoever wants to know more than target().
    struct Overview {
        bool isAmbiguous = false;    ///< nodes can be written to whose data are not the writer's: operators close them
        bool isReplaced = false;     ///< WriterChoice::isReplaced; listeners are called time and again while it is
        bool readsInStep = false;    ///< what is read where this server writes waits for what the cluster has committed
        std::uint64_t failovers = 0; ///< how often the writer's sessions went to another node than before
        std::string problem;         ///< why no node is written to; "" when one is
        bool needsOtherWriters = false; ///< NodeDecision::needsOtherWriters
        bool needsToBeShown = false;    ///< NodeDecision::needsToBeShown
    };
    Overview overview() const;

private:
    /// To one node.
    struct Question {
        bool isDue = false;                          ///< it is to be asked at once
        std::optional<NodeClock::time_point> asking; ///< since when an answer is awaited
        NodeClock::time_point suspectedAt;           ///< looks of before say nothing
    };

    struct Part {
        NodeTarget target;
        std::atomic<std::uint64_t> epoch{1}; ///< grows with every change of the target
        std::atomic<NodeClock::time_point> heldUntil{NodeClock::time_point()}; ///< the last look at it holds so long
    };

    const Part& part(NodeRole role) const noexcept { return role == NodeRole::Writer ? _writer : _reader; }
    void watch(const std::stop_token& stop, std::size_t index);
    void watchForSilence(const std::stop_token& stop);
    void suspect(const NodeSession& session, bool isFull) noexcept;
    /// Decides, and then writes log lines and notifies listeners, for which it lets go of the lock.
    void decide(std::unique_lock<std::mutex>& lock);
    void hold(Part& part);

    const SessionSettings _settings;
    Logger* const _log;
    mutable std::mutex _mutex;
    std::condition_variable_any _changed;
    ClusterState _state;
    std::vector<Question> _questions;
    std::vector<std::atomic<std::uint64_t>> _losses; ///< WatchedNode::losses
    Part _writer;
    Part _reader;
    NodeClock::time_point _nextReplaced; ///< when listeners are called again for Overview::isReplaced
    std::mutex _calling;                 ///< of the following, and held while they are called
    std::map<const void*, Listener> _listeners;
    std::vector<std::jthread> _threads; ///< last: they use all of the above
};

} // namespace supplierd::host
