#pragma once

#include "host/db/SessionSettings.h"
#include "host/db/nodes/NodeChoice.h"

#include <supplierd/Log.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::host {

using NodeClock = std::chrono::steady_clock;

/// What a server knows of one node.
struct WatchedNode {
    std::string name;
    NodeReport report; ///< its last one
    NodeReport member; ///< its last one as a member of a cluster that may commit
    NodeFitness fitness = NodeFitness::Unfit;
    std::string state = "not asked yet";
    bool isKnown = false;   ///< asked once
    bool hasReport = false; ///< its last answer was `report`
    bool wasClosed = false; ///< for writes, since the last writer is one
    bool isLeftOut = false; ///< by its cluster
    std::optional<NodeClock::time_point> inStepSince;
    /// Every other server has noticed by then that it was not in step any more, or left out.
    NodeClock::time_point noticedAt;
    NodeClock::time_point lookedAt;  ///< when the last question that was answered began
    NodeClock::time_point fullUntil; ///< so long it is marked
    std::uint64_t losses = 0;        ///< how often it was lost: nobody is to wait for an answer from before

    /// It answers, and takes statements.
    bool isUp() const { return hasReport && report.isReady; }
    /// No server reads plainly there any more. A node that has lost its cluster refuses everything for longer than a
    /// look holds: joining again takes seconds.
    bool isLeftByAll(NodeClock::time_point now) const {
        return now >= noticedAt || (hasReport && !report.isReady && report.view == 0);
    }
};

/// Where sessions go.
struct NodeTarget {
    std::optional<std::size_t> node;
    bool readsInStep = false; ///< SessionSettings::readsInStep
    bool operator==(const NodeTarget&) const = default;
};

/// What follows from what a server knows.
struct NodeDecision {
    NodeTarget writer;
    NodeTarget reader;
    WriterChoice choice;
    /// Nothing is chosen yet, or others may not have noticed yet that the former writer is left.
    bool isUndecided = true;
    std::string problem; ///< why no node is written to; "" when one is
    std::uint64_t failovers = 0;
    std::optional<std::size_t> lastWriter;
    std::string cluster; ///< of the last writer
    /// This server does not write to the first node: others may write to one that is before its own.
    bool needsOtherWriters = false;
    /// The row that others read does not name the node that is written to.
    bool needsToBeShown = false;
};

/// What the rows of the table `servers` say of who writes where, by NodeReport::identity (ServerPresence).
struct WriterRows {
    std::set<std::string> others;
    NodeClock::time_point othersUntil; ///< so long these hold
    std::string own;
    NodeClock::time_point ownUntil; ///< so long others count that one as this server's
};

/// What a server knows of all nodes, and which of them it writes to and reads from for that reason. README.md says by
/// which rules, and what they promise. Thread: one at a time.
class ClusterState {
public:
    /// For the log.
    struct Line {
        LogLevel level;
        std::string message;
        std::string node;
        std::string state;
    };

    ClusterState(const SessionSettings& settings, std::optional<std::size_t> readFrom);

    /// An answer came `now` to a question of `begun`, or none. True when it shows another view than the one before.
    bool accept(std::size_t index, const NodeProbe::Answer& answer, NodeClock::time_point begun,
                NodeClock::time_point now);
    /// A statement found its disk full.
    void noteFull(std::size_t index, NodeClock::time_point now);
    /// Other servers write to these nodes, as their rows say to a question of `asked`.
    void noteOtherWriters(std::set<std::string> identities, NodeClock::time_point asked);
    /// The own row says by `now` that this server writes to that node. Its writing `begun` before.
    void noteShown(const std::string& identity, NodeClock::time_point begun, NodeClock::time_point now);
    /// decision() is then what follows from all of that.
    void decide(NodeClock::time_point now);

    const std::vector<WatchedNode>& nodes() const { return _nodes; }
    const NodeDecision& decision() const { return _decision; }
    /// To be marked: a statement of ours found its disk full, and there is another one to go to.
    bool isMarkedFull(std::size_t index, NodeClock::time_point now) const;
    std::vector<Line> takeLines() { return std::exchange(_lines, {}); }

private:
    void setState(WatchedNode& node, NodeFitness fitness, const std::string& state, NodeClock::time_point now);
    void readInStep(NodeClock::time_point now);
    void noteView(WatchedNode& node);
    void noteLeftOut(NodeClock::time_point now);
    std::vector<NodeView> views(NodeClock::time_point now) const;
    void decideWriter(NodeClock::time_point now);
    void decideReader();
    void follow(std::size_t writer);
    void logChoice(const WriterChoice& before);

    std::vector<WatchedNode> _nodes;
    const SessionSettings& _settings;
    const std::optional<std::size_t> _readFrom;
    NodeDecision _decision;
    WriterRows _rows;
    NodeClock::time_point _inStepUntil; ///< other servers may not have changed over before
    std::int64_t _committed = 0;        ///< what was committed elsewhere until then: plain reads need it, too
    std::vector<Line> _lines;
};

} // namespace supplierd::host
