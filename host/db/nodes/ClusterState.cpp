#include "host/db/nodes/ClusterState.h"

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// Reads wait for the cluster for so long beyond `returnAfter` once the writer has changed or was silent: the others
/// change over, or learn from this server's row that it has (ServerPresence).
constexpr milliseconds IN_STEP_FOR{5'000};

std::vector<NodeReport> reportsOf(const std::vector<WatchedNode>& nodes) {
    std::vector<NodeReport> reports;
    for (const WatchedNode& node : nodes)
        reports.push_back(node.report);
    return reports;
}

} // namespace

ClusterState::ClusterState(const SessionSettings& settings, std::optional<std::size_t> readFrom)
    : _failoverAfter(settings.failoverAfter), _returnAfter(settings.returnAfter), _readFrom(readFrom) {
    for (const NodeAddress& address : settings.nodes)
        _nodes.emplace_back().address = address;
}

bool ClusterState::accept(std::size_t index, const NodeProbe::Answer& answer, NodeClock::time_point begun,
                          NodeClock::time_point now) {
    WatchedNode& node = _nodes[index];
    if (answer.report || answer.lacksSessions)
        node.lookedAt = begun;
    if (answer.lacksSessions && node.isKnown)
        return false; // the sessions that it has may be ours
    node.hasReport = answer.report.has_value();
    if (!node.hasReport) {
        setState(node, false, NodeFitness::Unfit, answer.problem, now);
        return false;
    }
    const NodeReport former = std::exchange(node.report, *answer.report);
    const NodeReport& report = node.report;
    // A mark ends with its session: who has seen the former one may not have seen this one.
    const bool isMarkedAnew = !report.isReadOnly && report.markedFullBy != former.markedFullBy;
    if (!report.isClosed())
        node.closedSince.reset();
    else if (!node.closedSince || isMarkedAnew)
        node.closedSince = now;
    node.wasClosed = node.wasClosed || report.isReadOnly;
    // The cluster was started again and counts from the beginning. Who does not answer was last seen before that.
    if (report.view > 0 && report.view < former.view && report.cluster == former.cluster)
        for (WatchedNode& other : _nodes)
            if (!other.hasReport && other.report.cluster == report.cluster)
                other.report.view = 0;
    if (now < _inStepUntil && report.cluster == _cluster)
        _committed = std::max(_committed, report.committed);
    const auto [fitness, state] = judge(report);
    setState(node, report.isReady, fitness, state, now);
    // After a silence, or the sleep of this process, another server may have left the node, or its cluster.
    const auto since = std::exchange(node.answeredAt, now);
    const bool isGap = now - since > std::min(LOOK_HOLDS, _failoverAfter * 9 / 10);
    if (node.isUp && (isGap || report.view != former.view) && _lastWriter == index)
        distrust(now);
    return report.view != former.view;
}

/// Servers change over one after the other: those that are late within `returnAfter` and IN_STEP_FOR.
void ClusterState::distrust(NodeClock::time_point now) {
    _inStepUntil = now + _returnAfter + _failoverAfter + IN_STEP_FOR;
    _otherWriters.reset();
}

void ClusterState::noteSilence(std::size_t index, NodeClock::time_point now) {
    WatchedNode& node = _nodes[index];
    node.closedSince.reset();
    node.hasReport = false;
    setState(node, false, NodeFitness::Unfit, "no answer for " + std::to_string(_failoverAfter.count()) + " ms", now);
}

void ClusterState::setState(WatchedNode& node, bool isUp, NodeFitness fitness, const std::string& state,
                            NodeClock::time_point now) {
    // On a node that answers, what runs may end. On one that does not, nobody is to wait for it, whether it is written
    // to or was before.
    if (node.isUp && !isUp) {
        ++node.losses;
        node.fullUntil = NodeClock::time_point(); // when it comes back, it may have room
    }
    if (!isUp && !node.hasReport)
        node.closedSince.reset();
    node.isUp = isUp;
    if (!node.isKnown || node.fitness != fitness || (fitness != NodeFitness::Unfit && node.state != state))
        _lines.push_back({fitness == NodeFitness::InStep ? LogLevel::Information : LogLevel::Warning,
                          fitness == NodeFitness::Unfit ? "a node of the database cannot be written to"
                                                        : "a node of the database can be written to",
                          node.address.name(), state});
    node.isKnown = true;
    node.fitness = fitness;
    node.state = state;
    if (fitness != NodeFitness::InStep)
        node.inStepSince.reset();
    else if (!node.inStepSince)
        node.inStepSince = now;
}

bool ClusterState::areAllKnown() const {
    return std::all_of(_nodes.begin(), _nodes.end(), [](const WatchedNode& node) { return node.isKnown; });
}

bool ClusterState::isMarkedFull(std::size_t index, NodeClock::time_point now) const {
    return now < _nodes[index].fullUntil && insteadOf(views(now), index);
}

void ClusterState::decide(NodeClock::time_point now) {
    decideMembership(now);
    // The first choice waits for all, so that it is the one of the failover order.
    if (!_writer.node && !areAllKnown())
        return;
    decideWriter(now);
    decideReader(now);
}

void ClusterState::decideMembership(NodeClock::time_point now) {
    const auto reports = reportsOf(_nodes);
    _unlisted = countUnlisted(reports).value_or(_unlisted);
    for (std::size_t i = 0; i < _nodes.size(); ++i)
        if (!isLeftOut(reports, i, _unlisted))
            _nodes[i].leftOutSince.reset();
        else if (!_nodes[i].leftOutSince)
            _nodes[i].leftOutSince = now;
}

std::vector<NodeView> ClusterState::views(NodeClock::time_point now) const {
    const auto isOf = [this](const std::string& identity) {
        return std::any_of(_nodes.begin(), _nodes.end(),
                           [&](const WatchedNode& node) { return node.report.identity == identity; });
    };
    const bool areOthersKnown = _otherWriters && std::all_of(_otherWriters->begin(), _otherWriters->end(), isOf);
    const bool isGalera =
        std::any_of(_nodes.begin(), _nodes.end(), [](const WatchedNode& node) { return node.report.isGalera; });
    std::vector<NodeView> all;
    for (const WatchedNode& node : _nodes) {
        const bool isLast = _lastWriter && &node == &_nodes[*_lastWriter];
        const bool isSilent = node.isKnown && !node.hasReport;
        NodeView& view = all.emplace_back();
        view.fitness = node.leftOutSince ? NodeFitness::Unfit : node.fitness;
        view.cluster = node.report.cluster;
        view.view = node.report.view;
        view.inStepFor =
            node.inStepSince ? std::chrono::duration_cast<milliseconds>(now - *node.inStepSince) : milliseconds(0);
        view.isFull = node.report.isFull();
        view.isFormerPrimary = _lastWriter && !isLast && node.report.cluster.empty() && !node.wasClosed;
        view.isSilentMember = isSilent && isGalera && !node.leftOutSince;
        view.isLastWriter = isLast;
        // One that was restarted meanwhile has an identity that is not known here.
        view.isOthersWriter =
            (isSilent && !areOthersKnown) || (_otherWriters && _otherWriters->contains(node.report.identity));
    }
    return all;
}

bool ClusterState::needsOtherWriters() const {
    return !_otherWriters ||
           std::any_of(_nodes.begin(),
                       _nodes.begin() + static_cast<std::ptrdiff_t>(_writer.node.value_or(_nodes.size())),
                       [](const WatchedNode& node) { return !node.hasReport; });
}

/// From when on no server reads plainly on a node that is left although it answers. One that refuses everything does so
/// for longer than a look holds: joining again takes seconds.
NodeClock::time_point ClusterState::leftByAllAt(std::size_t chosen) const {
    NodeClock::time_point at;
    for (std::size_t i = 0; i < _nodes.size(); ++i) {
        const WatchedNode& node = _nodes[i];
        const bool isOfItsCluster =
            _lastWriter == i || (node.report.isGalera && node.report.cluster == _nodes[chosen].report.cluster);
        const bool refusesAll = node.hasReport && !node.report.isReady;
        if (i == chosen || !isOfItsCluster || refusesAll)
            continue;
        if (node.isUp && node.closedSince)
            at = std::max(at, *node.closedSince + LOOK_HOLDS);
        if (node.leftOutSince)
            at = std::max(at, *node.leftOutSince + node.report.noticesLeftOutAfter);
    }
    return at;
}

void ClusterState::decideWriter(NodeClock::time_point now) {
    const WriterChoice before = std::exchange(_choice, chooseWriter(views(now), _writer.node, _cluster, _returnAfter));
    auto node = _choice.node;
    _isChanging = node && node != _writer.node && now < leftByAllAt(*node);
    if (_isChanging)
        node.reset();
    logChoice(before);
    const bool isMoving = node != _writer.node;
    if (isMoving) {
        if (_writer.node && _nodes[*_writer.node].report.isFull())
            ++_nodes[*_writer.node].losses; // its rollbacks hang, too: nobody is to wait for it
        if (node)
            follow(*node);
        else if (!_isChanging)
            _lines.push_back({LogLevel::Error, "no node of the database can be written to",
                              _nodes[*_writer.node].address.name(), problem()});
        _committed = 0;
        distrust(now);
    }
    // What was written on the last node may be a while on its way to this one.
    const bool readsInStep = node && _nodes[*node].report.isGalera &&
                             (*node > 0 || now < _inStepUntil || _nodes[*node].report.committed < _committed);
    _writer = {node, readsInStep};
}

void ClusterState::follow(std::size_t writer) {
    _cluster = _nodes[writer].report.cluster;
    const std::string before = _lastWriter ? _nodes[*_lastWriter].address.name() : std::string("none");
    const bool isOther = _lastWriter && _lastWriter != writer;
    _lines.push_back(
        {isOther ? LogLevel::Warning : LogLevel::Information,
         isOther ? "the database is written to on another node" : "the database is written to on this node",
         _nodes[writer].address.name(), "before: " + before});
    if (_lastWriter == writer)
        return;
    if (_lastWriter)
        ++_failovers;
    _lastWriter = writer;
    for (WatchedNode& node : _nodes)
        node.wasClosed = node.isUp && node.report.isReadOnly;
}

void ClusterState::logChoice(const WriterChoice& before) {
    const std::string last = _lastWriter ? _nodes[*_lastWriter].address.name() : std::string();
    if (_choice.isAmbiguous && !before.isAmbiguous)
        _lines.push_back({LogLevel::Error,
                          "nodes of the database can be written to that do not share their data: set all but the one "
                          "that is right to read_only, and name none of them twice",
                          last, _choice.node ? "it goes on being written to" : "none is written to"});
    if (_choice.areFormerPrimaries && !before.areFormerPrimaries)
        _lines.push_back({LogLevel::Error,
                          "a node of the database can be written to that was not seen to follow the one that was: set "
                          "it to read_only for a second if it is right all the same",
                          last, "none is written to"});
    if (_choice.isReplaced && !before.isReplaced)
        _lines.push_back({LogLevel::Error, "the nodes of the database are another cluster than before",
                          _nodes.front().address.name(), "this process does not go to them"});
}

std::string ClusterState::problem() const {
    if (_writer.node)
        return {};
    if (_choice.awaited) {
        const WatchedNode& awaited = _nodes[*_choice.awaited];
        return "this server does not reach " + awaited.address.name() + " (" + awaited.state +
               "), which its cluster still counts as a member and others may write to";
    }
    std::string problem;
    for (const WatchedNode& node : _nodes)
        problem += (problem.empty() ? "" : "; ") + node.address.name() + ": " + node.state;
    return problem;
}

void ClusterState::decideReader(NodeClock::time_point now) {
    const bool wasReader = !_reader.node || _reader.node == _readFrom;
    _reader = _writer;
    if (!_readFrom)
        return;
    const WatchedNode& node = _nodes[*_readFrom];
    const bool isBack = wasReader || !node.inStepSince || now - *node.inStepSince >= _returnAfter;
    if (isBack && mayReadFrom(node))
        _reader = {_readFrom, true};
}

/// Also when it is closed for writes. What replicas that follow a primary have read would be too old.
bool ClusterState::mayReadFrom(const WatchedNode& node) const {
    const NodeReport& report = node.report;
    const bool isInStep = node.fitness == NodeFitness::InStep || (node.hasReport && report.isReadOnly);
    return isInStep && !node.leftOutSince && report.isGalera && report.isReady && !report.isFull() &&
           report.state == NodeReport::SYNCED && report.cluster == _cluster;
}

} // namespace supplierd::host
