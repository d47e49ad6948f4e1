#include "host/db/nodes/ClusterState.h"

#include <algorithm>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// What the rows of other servers said holds for so long (ServerPresence). Reads wait for the cluster for so long
/// beyond `returnAfter` and `failoverAfter` once the writer has changed or was silent: the others change over, or learn
/// from this server's row that it has.
constexpr milliseconds ROWS_HOLD{5'000};
/// Others count a row for twice as long, by the clocks of the nodes. It is renewed every ten seconds.
constexpr milliseconds SHOWN_FOR{20'000};
/// A node that was found full is marked for so long.
constexpr std::chrono::minutes FULL_FOR{10};

bool areOfGalera(const std::vector<WatchedNode>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [](const WatchedNode& node) { return node.report.isGalera; });
}

std::string problemOf(const std::vector<WatchedNode>& nodes, const NodeDecision& decision) {
    if (decision.writer.node)
        return {};
    if (decision.choice.awaited) {
        const WatchedNode& awaited = nodes[*decision.choice.awaited];
        return "this server does not reach " + awaited.name + " (" + awaited.state +
               "), which its cluster still counts as a member and others may write to";
    }
    std::string problem;
    for (const WatchedNode& node : nodes)
        problem += (problem.empty() ? "" : "; ") + node.name + ": " + node.state;
    return problem;
}

} // namespace

ClusterState::ClusterState(const SessionSettings& settings, std::optional<std::size_t> readFrom)
    : _settings(settings), _readFrom(readFrom) {
    for (const NodeAddress& address : settings.nodes)
        _nodes.emplace_back().name = address.name();
}

bool ClusterState::accept(std::size_t index, const NodeProbe::Answer& answer, NodeClock::time_point begun,
                          NodeClock::time_point now) {
    WatchedNode& node = _nodes[index];
    const bool wasAnswering = node.hasReport;
    const bool isGap = !wasAnswering || begun - node.lookedAt > LOOK_HOLDS;
    if (answer.report || answer.lacksSessions)
        node.lookedAt = begun;
    if (answer.lacksSessions && node.isKnown) {
        if (_decision.lastWriter == index)
            readInStep(now); // another server may have left the node, or its cluster
        return false;        // the sessions that it has may be ours
    }
    const bool wasUp = node.isUp();
    const NodeFitness formerFitness = node.fitness;
    node.hasReport = answer.report.has_value();
    const NodeReport former = std::exchange(node.report, answer.report.value_or(node.report));
    const NodeReport& report = node.report;
    // On a node that answers, what runs may end. On one that does not, nobody is to wait for it, whether it is written
    // to or was before.
    if (wasUp && !node.isUp()) {
        ++node.losses;
        node.fullUntil = NodeClock::time_point(); // when it comes back, it may have room
    }
    if (!node.hasReport) {
        setState(node, NodeFitness::Unfit, answer.problem, now);
        return false;
    }
    const auto [fitness, state] = judge(report);
    // A mark ends with its session: who has seen the former one may not have seen this one.
    const bool isMarkedAnew = !report.isReadOnly && report.markedFullBy != former.markedFullBy;
    const bool isNew = !wasAnswering || formerFitness == NodeFitness::InStep || isMarkedAnew;
    const bool isReplica = !report.isGalera && _decision.lastWriter != index;
    if (fitness != NodeFitness::InStep && isNew && !isReplica)
        node.noticedAt = now + LOOK_HOLDS;
    node.wasClosed = node.wasClosed || report.isReadOnly;
    if (report.view > 0)
        noteView(node);
    if (now < _inStepUntil && report.cluster == _decision.cluster)
        _committed = std::max(_committed, report.committed);
    setState(node, fitness, state, now);
    // After a silence, or the sleep of this process, another server may have left the node, or its cluster. While the
    // node was not in step, one that began has taken another.
    const bool isOtherView = report.view != former.view;
    if (_decision.lastWriter == index && (isGap || isOtherView || fitness != formerFitness))
        readInStep(now);
    return isOtherView;
}

/// A cluster that was started again counts from the beginning. Who is no member now was last one before that.
void ClusterState::noteView(WatchedNode& node) {
    if (node.report.view < node.member.view && node.report.cluster == node.member.cluster)
        for (WatchedNode& other : _nodes)
            if (!other.hasReport || other.report.view == 0)
                other.member.view = 0;
    node.member = node.report;
}

/// Servers change over one after the other: those that are late within `returnAfter` and ROWS_HOLD.
void ClusterState::readInStep(NodeClock::time_point now) {
    _inStepUntil = now + _settings.returnAfter + _settings.failoverAfter + ROWS_HOLD;
}

void ClusterState::setState(WatchedNode& node, NodeFitness fitness, const std::string& state,
                            NodeClock::time_point now) {
    if (!node.isKnown || node.fitness != fitness || (fitness != NodeFitness::Unfit && node.state != state))
        _lines.push_back({fitness == NodeFitness::InStep ? LogLevel::Information : LogLevel::Warning,
                          fitness == NodeFitness::Unfit ? "a node of the database cannot be written to"
                                                        : "a node of the database can be written to",
                          node.name, state});
    node.isKnown = true;
    node.fitness = fitness;
    node.state = state;
    if (fitness != NodeFitness::InStep)
        node.inStepSince.reset();
    else if (!node.inStepSince)
        node.inStepSince = now;
}

void ClusterState::decide(NodeClock::time_point now) {
    noteLeftOut(now);
    // The first choice waits for all, so that it is the one of the failover order.
    if (_decision.writer.node ||
        std::all_of(_nodes.begin(), _nodes.end(), [](const auto& node) { return node.isKnown; })) {
        decideWriter(now);
        decideReader();
    }
    const auto& writer = _decision.writer.node;
    _decision.problem = problemOf(_nodes, _decision);
    _decision.needsOtherWriters = areOfGalera(_nodes) && writer != std::size_t{0};
    _decision.needsToBeShown = writer && _nodes[*writer].report.identity != _rows.own;
}

void ClusterState::noteLeftOut(NodeClock::time_point now) {
    std::vector<NodeReport> reports;
    milliseconds notices{0}; // of one that has never answered the others say it
    for (const WatchedNode& node : _nodes) {
        reports.push_back(node.member);
        notices = std::max(notices, node.member.noticesLeftOutAfter);
    }
    for (std::size_t i = 0; i < _nodes.size(); ++i) {
        const bool wasLeftOut = std::exchange(_nodes[i].isLeftOut, isLeftOut(reports, i));
        if (_nodes[i].isLeftOut && !wasLeftOut)
            _nodes[i].noticedAt = now + notices;
    }
}

void ClusterState::noteFull(std::size_t index, NodeClock::time_point now) {
    _nodes[index].fullUntil = now + FULL_FOR;
}

void ClusterState::noteOtherWriters(std::set<std::string> identities, NodeClock::time_point asked) {
    _rows.others = std::move(identities);
    _rows.othersUntil = asked + ROWS_HOLD;
}

/// Who does not reach the node learns from the row that it is written to, and did not know until now.
void ClusterState::noteShown(const std::string& identity, NodeClock::time_point begun, NodeClock::time_point now) {
    if (identity != _rows.own || begun >= _rows.ownUntil)
        readInStep(now);
    _rows.own = identity;
    _rows.ownUntil = begun + SHOWN_FOR;
}

std::vector<NodeView> ClusterState::views(NodeClock::time_point now) const {
    const bool isGalera = areOfGalera(_nodes);
    // One that was restarted meanwhile has an identity that is not known here.
    const bool areOthersKnown =
        now < _rows.othersUntil && std::all_of(_rows.others.begin(), _rows.others.end(), [this](const auto& identity) {
            return std::any_of(_nodes.begin(), _nodes.end(),
                               [&](const WatchedNode& node) { return node.report.identity == identity; });
        });
    std::vector<NodeView> all;
    for (const WatchedNode& node : _nodes) {
        NodeView& view = all.emplace_back();
        view.fitness = node.isLeftOut ? NodeFitness::Unfit : node.fitness;
        view.cluster = node.report.cluster;
        view.view = node.report.view;
        if (node.inStepSince)
            view.inStepFor = std::chrono::duration_cast<milliseconds>(now - *node.inStepSince);
        view.isFull = node.report.isFull();
        view.isLastWriter = _decision.lastWriter && &node == &_nodes[*_decision.lastWriter];
        view.isFormerPrimary =
            _decision.lastWriter && !view.isLastWriter && node.report.cluster.empty() && !node.wasClosed;
        view.isSilentMember = isGalera && node.isKnown && !node.hasReport && !node.isLeftOut;
        view.isOthersWriter = isGalera && (!areOthersKnown || _rows.others.contains(node.report.identity));
    }
    return all;
}

bool ClusterState::isMarkedFull(std::size_t index, NodeClock::time_point now) const {
    return now < _nodes[index].fullUntil && insteadOf(views(now), index);
}

void ClusterState::decideWriter(NodeClock::time_point now) {
    const WriterChoice before = std::exchange(
        _decision.choice, chooseWriter(views(now), _decision.writer.node, _decision.cluster, _settings.returnAfter));
    auto node = _decision.choice.node;
    _decision.isUndecided = false;
    for (std::size_t i = 0; i < _nodes.size() && node && node != _decision.writer.node; ++i)
        _decision.isUndecided |= i != *node && !_nodes[i].isLeftByAll(now);
    if (_decision.isUndecided)
        node.reset();
    logChoice(before);
    if (node != _decision.writer.node) {
        if (_decision.writer.node && _nodes[*_decision.writer.node].report.isFull())
            ++_nodes[*_decision.writer.node].losses; // its rollbacks hang, too: nobody is to wait for it
        if (node)
            follow(*node);
        _committed = 0;
        readInStep(now);
    }
    // What was written on the last node may be a while on its way to this one.
    const bool readsInStep = node && _nodes[*node].report.isGalera &&
                             (*node > 0 || now < _inStepUntil || _nodes[*node].report.committed < _committed ||
                              _nodes[*node].fitness != NodeFitness::InStep ||
                              _nodes[*node].report.identity != _rows.own || now >= _rows.ownUntil);
    const NodeTarget former = std::exchange(_decision.writer, {node, readsInStep});
    if (former.node && !node && !_decision.isUndecided)
        _lines.push_back({LogLevel::Error, "no node of the database can be written to", _nodes[*former.node].name,
                          problemOf(_nodes, _decision)});
}

void ClusterState::follow(std::size_t writer) {
    const bool isOther = _decision.lastWriter && _decision.lastWriter != writer;
    _decision.cluster = _nodes[writer].report.cluster;
    _lines.push_back(
        {isOther ? LogLevel::Warning : LogLevel::Information,
         isOther ? "the database is written to on another node" : "the database is written to on this node",
         _nodes[writer].name,
         "before: " + (_decision.lastWriter ? _nodes[*_decision.lastWriter].name : std::string("none"))});
    if (_decision.lastWriter == writer)
        return;
    _decision.failovers += isOther ? 1 : 0;
    _decision.lastWriter = writer;
    for (WatchedNode& node : _nodes)
        node.wasClosed = node.isUp() && node.report.isReadOnly;
}

void ClusterState::logChoice(const WriterChoice& before) {
    const auto log = [this](bool isNew, const char* message) {
        if (isNew)
            _lines.push_back({LogLevel::Error, message,
                              _decision.lastWriter ? _nodes[*_decision.lastWriter].name : std::string(),
                              _decision.choice.node ? "it goes on being written to" : "none is written to"});
    };
    log(_decision.choice.isAmbiguous && !before.isAmbiguous,
        "nodes of the database can be written to that do not share their data: set all but the one that is right to "
        "read_only, and name none of them twice");
    log(_decision.choice.areFormerPrimaries && !before.areFormerPrimaries,
        "a node of the database can be written to that was not seen to follow the one that was: set it to read_only "
        "for a second if it is right all the same");
    log(_decision.choice.isReplaced && !before.isReplaced, "the nodes of the database are another cluster than before");
}

/// Plain reads may go to a node that is closed for writes, and not to replicas: what these have may be too old.
void ClusterState::decideReader() {
    _decision.reader = _decision.writer;
    if (!_readFrom)
        return;
    const WatchedNode& node = _nodes[*_readFrom];
    const NodeReport& report = node.report;
    if (node.isUp() && report.isGalera && report.unsafe.empty() && !node.isLeftOut && !report.isFull() &&
        report.state == NodeReport::SYNCED && report.cluster == _decision.cluster)
        _decision.reader = {_readFrom, true};
}

} // namespace supplierd::host
