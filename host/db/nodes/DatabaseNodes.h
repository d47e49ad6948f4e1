#pragma once

#include "host/db/SessionSettings.h"
#include "host/db/nodes/NodeChoice.h"
#include "host/db/nodes/NodeReport.h"
#include "host/db/nodes/NodeSession.h"
#include "host/db/nodes/ReadLease.h"

#include <supplierd/Log.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
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
    std::string state; ///< "Synced", "read-only", or why it cannot be used
    bool isUp = false; ///< it answers, and takes statements
    bool isWriter = false;
    bool isReader = false;
};

/// Watches the servers of a database with several, each on a thread and a session of its own, and says which one
/// sessions go to. A node is left when it is unfit (judge()), when no session can be opened to it, when a question
/// stays unanswered for `failoverAfter`, and when its disk is full.
///
/// One that is left although it answers, because it is closed (NodeReport::isClosed()), must not be read plainly by one
/// server while another one writes elsewhere. So what a look at a node has seen holds for a second: no session is
/// handed out after that before the next look, and a server that leaves a closed node uses no other one for a second.
/// A server that has not heard of the writer for nearly as long as others wait before they leave it cannot know whether
/// one did: its reads wait for the cluster until that one must have come back. And one that leaves a node of a Galera
/// cluster says so at the others (ReadLease.h), since it may be the only one that does not reach it. Thread: any.
class DatabaseNodes {
public:
    struct Target {
        NodeAddress address;
        bool readsInStep = false; ///< SessionSettings::readsInStep
        NodeSession session;
    };

    /// What is told of a change of target; called without locks, from any thread.
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
    void noteLost(const NodeSession& session) noexcept;
    /// A statement that writes found the disk full: its node is marked so while another one of its cluster is in step.
    void noteFull(const NodeSession& session) noexcept;
    /// Returns at once when the node was looked at in the last second, or needs no look. Throws ApiError (Unavailable).
    void awaitLook(NodeRole role);
    /// Waits until it is known whether the node of a session that was lost is to be left.
    void awaitVerdict(NodeRole role);

    /// `listener` is called until the handle is destroyed, which waits for a call that is under way. The handle may
    /// outlive the nodes. The listener must not destroy its own handle.
    std::shared_ptr<void> listen(Listener listener);

    /// Called, without locks and from any thread, when all nodes have become those of another cluster
    /// (WriterChoice::isReplaced), and time and again while that lasts: no session is opened to them, so whoever holds
    /// what the former cluster had begins anew.
    void onReplaced(Listener listener);

    std::vector<NodeStatus> status() const;
    /// Nodes can be written to whose data are not those of the writer: their operator has to close them.
    bool isAmbiguous() const;
    /// What is read where this server writes waits for what the cluster has committed.
    bool readsInStep() const;
    /// How often the writer's sessions went to another node than before.
    std::uint64_t failovers() const noexcept { return _failovers; }

private:
    using Clock = LeaseClock;

    struct Node {
        NodeAddress address;
        NodeReport report;
        NodeFitness fitness = NodeFitness::Unfit;
        std::string state = "not asked yet";
        bool isKnown = false;                    ///< asked once
        bool isUp = false;                       ///< it answers, and takes statements
        bool saysHowItIs = false;                ///< it answers, and `report` is what it says
        bool isDue = false;                      ///< is to be asked at once
        bool wasClosed = false;                  ///< for writes, since the last writer is one
        std::optional<Clock::time_point> asking; ///< since when an answer is awaited
        std::optional<Clock::time_point> inStepSince;
        std::optional<Clock::time_point> closedSince; ///< everybody who has asked it from then on knows
        Clock::time_point lookedAt;                   ///< when the last question that was answered began
        Clock::time_point reportedAt;                 ///< the same of the last one that was answered with `report`
        SeenMark elsewhere;
        Clock::time_point answeredAt; ///< when its answer came
        Clock::time_point fullUntil;  ///< so long it is marked
        std::uint64_t begun = 0;      ///< questions
        std::uint64_t ended = 0;      ///< answers
        std::uint64_t suspected = 0;  ///< sessions were lost: the answer of this number tells
    };

    struct Part {
        std::optional<std::size_t> node;
        bool readsInStep = false;
        Clock::time_point settledAt;         ///< other servers may not have changed over before
        std::atomic<std::uint64_t> epoch{1}; ///< grows with every change of the target
        std::atomic<Clock::time_point> heldUntil{Clock::time_point()}; ///< the last look at it holds so long
    };

    /// What listen() keeps.
    class Subscription;

    struct Line {
        LogLevel level;
        std::string message;
        std::string node;
        std::string detail;
    };

    Part& part(NodeRole role) noexcept { return role == NodeRole::Writer ? _writer : _reader; }
    const Part& part(NodeRole role) const noexcept { return role == NodeRole::Writer ? _writer : _reader; }
    void watch(std::size_t index);
    void watchForSilence();
    void take(std::size_t index, const NodeProbe::Answer& answer);
    void noteClosed(Node& node, const NodeReport& report);
    void noteElsewhere(Node& node, const NodeProbe::Answer& answer);
    void noteAnswer(std::size_t index);
    void setState(std::size_t index, bool isUp, NodeFitness fitness, const std::string& state);
    void decide();
    void decideWriter(Clock::time_point now);
    void decideReader();
    void follow(std::size_t writer);
    std::vector<NodeView> views(Clock::time_point now) const;
    bool isMarked(std::size_t index) const;
    Clock::time_point leftByAllAt(std::size_t chosen) const;
    bool isElsewhere(std::size_t index) const { return index > 0 && _nodes[index].report.isGalera; }
    bool isFirstLate(Clock::time_point now) const;
    Clock::time_point leasesOverAt(std::size_t chosen, Clock::time_point now) const;
    Clock::time_point leaseEndAt() const;
    void decideMarks(Clock::time_point now);
    void hold(Part& part);
    bool mayReadFrom(const Node& node, Clock::time_point now) const;
    void move(Part& part, std::optional<std::size_t> node, bool readsInStep);
    bool areAllKnown() const;
    /// Writes the log lines and tells the listeners, when the lock is let go.
    void tell(std::unique_lock<std::mutex>& lock);

    const SessionSettings _settings;
    const std::optional<std::size_t> _readFrom;
    Logger* const _log;

    mutable std::mutex _mutex;
    std::condition_variable _changed;
    bool _isStopping = false;
    std::vector<Node> _nodes;
    std::vector<std::atomic<std::uint64_t>> _losses; ///< by node: how often it was lost
    std::optional<std::size_t> _lastWriter;
    std::optional<Clock::time_point> _changesAt; ///< until then no node is written to
    std::string _cluster;
    bool _goesElsewhere = false; ///< than to the first node of a Galera cluster, or waits until it may
    bool _marksElsewhere = false;
    Clock::time_point _marksUntil; ///< what was begun there may take so long
    Clock::time_point _leaseEnd;   ///< of plain reads
    std::int64_t _committed = 0;   ///< what was committed before the writer was settled: plain reads need it, too
    bool _isAmbiguous = false;
    bool _areStray = false;
    Listener _onReplaced;
    bool _isReplacedUntold = false;
    Clock::time_point _nextReplaced; ///< when it is told again
    Part _writer;
    Part _reader;
    std::vector<Line> _lines;
    bool _isChangeUntold = false;
    std::vector<std::shared_ptr<Subscription>> _listeners;
    std::atomic<std::uint64_t> _failovers{0};
    std::vector<std::jthread> _threads; ///< last: they use all of the above
};

} // namespace supplierd::host
