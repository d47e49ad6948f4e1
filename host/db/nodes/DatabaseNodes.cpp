#include "host/db/nodes/DatabaseNodes.h"

#include "host/db/ErrorClass.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// A node that was well is asked again after this.
constexpr milliseconds ASK_INTERVAL{500};

/// Between two calls of onReplaced().
constexpr std::chrono::seconds REPLACED_INTERVAL{30};

/// So long a node whose disk was full is marked, unless no other can be written to.
constexpr std::chrono::minutes FULL_FOR{10};

/// What is waited for beyond `failoverAfter`: a question is asked before its silence begins.
constexpr milliseconds VERDICT_MARGIN{500};

} // namespace

class DatabaseNodes::Subscription {
public:
    explicit Subscription(Listener listener) : _listener(std::move(listener)) {}

    void call() {
        const std::lock_guard lock(_calling);
        if (!_isOver)
            _listener();
    }
    /// Waits for a call that is under way.
    void end() {
        _isOver = true;
        const std::lock_guard lock(_calling);
    }
    bool isOver() const { return _isOver; }

private:
    const Listener _listener;
    std::mutex _calling;
    std::atomic<bool> _isOver{false};
};

DatabaseNodes::DatabaseNodes(const SessionSettings& settings, std::optional<std::size_t> readFrom, Logger* log)
    : _settings(settings), _readFrom(readFrom), _log(log), _losses(settings.nodes.size()) {
    for (const NodeAddress& address : settings.nodes) {
        Node node;
        node.address = address;
        _nodes.push_back(std::move(node));
    }
    for (std::size_t i = 0; i < _nodes.size(); ++i)
        _threads.emplace_back([this, i] { watch(i); });
    _threads.emplace_back([this] { watchForSilence(); });
}

DatabaseNodes::~DatabaseNodes() {
    {
        const std::lock_guard lock(_mutex);
        _isStopping = true;
    }
    _changed.notify_all();
    _threads.clear();
}

void DatabaseNodes::watch(std::size_t index) {
    std::unique_lock lock(_mutex);
    Node& node = _nodes[index];
    NodeProbe probe(_settings.at(node.address));
    while (!_isStopping) {
        node.isDue = false;
        node.asking = Clock::now();
        ++node.begun;
        const NodeProbe::Marks marks{isMarked(index), _marksElsewhere};
        _changed.notify_all();
        lock.unlock();
        NodeProbe::Answer answer;
        try {
            answer = probe.ask(marks);
        } catch (const std::exception& failure) {
            answer.problem = failure.what();
        }
        lock.lock();
        if (answer.report || answer.lacksSessions)
            node.lookedAt = *node.asking;
        if (answer.report)
            node.reportedAt = *node.asking;
        node.asking.reset();
        ++node.ended;
        take(index, answer);
        noteAnswer(index);
        decide();
        tell(lock);
        _changed.wait_for(lock, ASK_INTERVAL, [&] { return _isStopping || node.isDue; });
    }
}

/// A thread that waits for an answer cannot say that none comes.
void DatabaseNodes::watchForSilence() {
    std::unique_lock lock(_mutex);
    while (!_isStopping) {
        const auto now = Clock::now();
        auto next = now + _settings.failoverAfter;
        if (_changesAt && *_changesAt <= now) {
            decide();
            tell(lock);
            continue;
        }
        if (_changesAt)
            next = std::min(next, *_changesAt);
        if (isFirstLate(now))
            decideMarks(now);
        else if (_writer.node == std::size_t{0} && _nodes.front().asking)
            next = std::min(next, *_nodes.front().asking + _settings.failoverAfter / 2);
        bool isAnySilent = false;
        for (std::size_t i = 0; i < _nodes.size(); ++i) {
            Node& node = _nodes[i];
            if (!node.asking || (node.isKnown && !node.isUp))
                continue;
            const auto limit = *node.asking + _settings.failoverAfter;
            if (limit > now) {
                next = std::min(next, limit);
                continue;
            }
            node.closedSince.reset();
            node.saysHowItIs = false;
            setState(i, false, NodeFitness::Unfit,
                     "no answer for " + std::to_string(_settings.failoverAfter.count()) + " ms");
            isAnySilent = true;
        }
        if (isAnySilent) {
            decide();
            tell(lock);
            continue;
        }
        _changed.wait_until(lock, next);
    }
}

void DatabaseNodes::take(std::size_t index, const NodeProbe::Answer& answer) {
    Node& node = _nodes[index];
    if (answer.lacksSessions && node.isKnown)
        return; // the sessions that it has may be ours
    noteClosed(node, answer.report.value_or(NodeReport()));
    node.saysHowItIs = answer.report.has_value();
    if (!answer.report) {
        setState(index, false, NodeFitness::Unfit, answer.problem);
        return;
    }
    node.report = *answer.report;
    node.wasClosed = node.wasClosed || node.report.isReadOnly;
    noteElsewhere(node, answer);
    const auto [fitness, state] = judge(node.report);
    setState(index, node.report.isReady, fitness, state);
}

void DatabaseNodes::noteClosed(Node& node, const NodeReport& report) {
    if (!report.isClosed())
        node.closedSince.reset();
    // A mark ends with its session: who has seen the former may not have seen this one.
    else if (!node.closedSince || (!report.isReadOnly && report.markedFullBy != node.report.markedFullBy))
        node.closedSince = Clock::now();
}

/// Also the own mark: another server may rely on it.
void DatabaseNodes::noteElsewhere(Node& node, const NodeProbe::Answer& answer) {
    const auto now = Clock::now();
    // Where no mark can be set nobody waits for one.
    if (node.report.markedElsewhereBy == 0 && !answer.refusesMarks) {
        node.elsewhere.since.reset();
    } else {
        node.elsewhere.see(node.report.markedElsewhereBy, node.reportedAt, now);
        _writer.settledAt = std::max(_writer.settledAt, now + SETTLING);
    }
    if (now < _writer.settledAt && node.report.cluster == _cluster)
        _committed = std::max(_committed, node.report.committed);
}

/// After a silence, or the sleep of this process, through which another server may have left the node.
void DatabaseNodes::noteAnswer(std::size_t index) {
    Node& node = _nodes[index];
    if (!node.isUp)
        return;
    const auto now = Clock::now();
    const auto since = std::exchange(node.answeredAt, now);
    if (_writer.node == index && now - since > std::min(LOOK_HOLDS, _settings.failoverAfter * 9 / 10))
        _writer.settledAt = now + _settings.returnAfter + SETTLING;
}

/// To be marked: a statement of ours found its disk full, and there is another one to go to.
bool DatabaseNodes::isMarked(std::size_t index) const {
    const auto now = Clock::now();
    return now < _nodes[index].fullUntil && insteadOf(views(now), index);
}

void DatabaseNodes::setState(std::size_t index, bool isUp, NodeFitness fitness, const std::string& state) {
    Node& node = _nodes[index];
    // On a node that answers, what runs may end. On one that does not, nobody is to wait for it, whether it is written
    // to or was before.
    if (node.isUp && !isUp) {
        ++_losses[index];
        _isChangeUntold = true;
        node.fullUntil = Clock::time_point(); // when it comes back, it may have room
    }
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
        node.inStepSince = Clock::now();
}

void DatabaseNodes::decide() {
    _changed.notify_all();
    // The first choice waits for all, so that it is the one of the failover order.
    if (_writer.node || areAllKnown()) {
        decideWriter(Clock::now());
        decideReader();
        decideMarks(Clock::now());
    }
    hold(_writer);
    hold(_reader);
}

bool DatabaseNodes::areAllKnown() const {
    return std::all_of(_nodes.begin(), _nodes.end(), [](const Node& node) { return node.isKnown; });
}

/// Reads that wait for the cluster need no look: they are as new on one node as on another. But writes elsewhere than
/// on the first one need the mark that says so.
void DatabaseNodes::hold(Part& part) {
    const Node* const node = part.node ? &_nodes[*part.node] : nullptr;
    if (!node)
        part.heldUntil = Clock::time_point();
    else if (!part.readsInStep)
        part.heldUntil = std::min(node->lookedAt + LOOK_HOLDS, _leaseEnd);
    else if (&part == &_writer && isElsewhere(*part.node))
        part.heldUntil = node->elsewhere.since ? node->lookedAt + MARK_OUTLASTED : Clock::time_point();
    else
        part.heldUntil = Clock::time_point::max();
}

std::vector<NodeView> DatabaseNodes::views(Clock::time_point now) const {
    std::vector<NodeView> all;
    for (const Node& node : _nodes)
        all.push_back(
            {node.fitness, node.report.cluster, node.report.membership,
             node.inStepSince ? std::chrono::duration_cast<milliseconds>(now - *node.inStepSince) : milliseconds(0),
             node.report.isFull(),
             _lastWriter && &node != &_nodes[*_lastWriter] && node.report.cluster.empty() && !node.wasClosed});
    return all;
}

/// From when on no server reads plainly on a node that is closed. One that is not up answers nobody.
DatabaseNodes::Clock::time_point DatabaseNodes::leftByAllAt(std::size_t chosen) const {
    Clock::time_point at;
    for (std::size_t i = 0; i < _nodes.size(); ++i) {
        const Node& node = _nodes[i];
        const bool isOfItsCluster =
            _lastWriter == i || (node.report.isGalera && node.report.cluster == _nodes[chosen].report.cluster);
        if (i != chosen && node.isUp && node.closedSince && isOfItsCluster)
            at = std::max(at, *node.closedSince + LOOK_HOLDS);
    }
    return at;
}

/// It may be about to be left: to mark the others takes as long as its silence goes on.
bool DatabaseNodes::isFirstLate(Clock::time_point now) const {
    const Node& first = _nodes.front();
    return _writer.node == std::size_t{0} && first.report.isGalera && first.asking &&
           now - *first.asking >= _settings.failoverAfter / 2;
}

/// From when on nobody reads plainly on the first node what may be written on another one.
DatabaseNodes::Clock::time_point DatabaseNodes::leasesOverAt(std::size_t chosen, Clock::time_point now) const {
    if (!isElsewhere(chosen))
        return {};
    std::vector<std::optional<Clock::time_point>> marks;
    for (const Node& node : _nodes)
        marks.push_back(node.isUp ? node.elsewhere.since : std::nullopt);
    const auto over = leasesOver(marks, chosen, _nodes[chosen].report.members);
    if (!over)
        return now + LOOK_HOLDS; // it is being marked
    // One that is not ready refuses all statements, and one that is closed everybody leaves who looks at it.
    const Node& first = _nodes.front();
    return first.saysHowItIs && (!first.report.isReady || first.report.isClosed()) ? Clock::time_point() : *over;
}

DatabaseNodes::Clock::time_point DatabaseNodes::leaseEndAt() const {
    const Node& first = _nodes.front();
    std::vector<NodeLook> looks;
    for (const Node& node : _nodes)
        looks.push_back({node.reportedAt,
                         node.isUp && node.report.cluster == first.report.cluster &&
                             node.report.membership == first.report.membership,
                         node.elsewhere.since.has_value()});
    return leaseEnd(looks, first.report.members);
}

/// While somebody may write elsewhere because of this server: it does, did a moment ago, or will.
void DatabaseNodes::decideMarks(Clock::time_point now) {
    if (_writer.node && isElsewhere(*_writer.node))
        _marksUntil = now + _settings.returnAfter + SETTLING;
    const bool marks = _goesElsewhere || now < _marksUntil || isFirstLate(now);
    if (marks && !_marksElsewhere) {
        for (Node& node : _nodes)
            node.isDue = true;
        _changed.notify_all();
    }
    _marksElsewhere = marks;
}

void DatabaseNodes::decideWriter(Clock::time_point now) {
    const auto views = this->views(now);
    WriterChoice choice = chooseWriter(views, _writer.node, _cluster, _settings.returnAfter);
    _changesAt.reset();
    _goesElsewhere = choice.node && isElsewhere(*choice.node);
    if (choice.node && (choice.node != _writer.node || (_goesElsewhere && _nodes[*choice.node].elsewhere.hasLapsed)))
        if (const auto at = std::max(leftByAllAt(*choice.node), leasesOverAt(*choice.node, now)); now < at) {
            _changesAt = at;
            choice.node.reset();
        }
    if (choice.isAmbiguous && !_isAmbiguous)
        _lines.push_back({LogLevel::Error,
                          "nodes of the database can be written to that do not share their data: set all but the one "
                          "that is right to read_only, and name none of them twice",
                          _writer.node ? _nodes[*_writer.node].address.name() : std::string(),
                          _writer.node ? "it goes on being written to" : "none is written to"});
    _isAmbiguous = choice.isAmbiguous;
    if (choice.areStray && !_areStray)
        _lines.push_back({LogLevel::Error,
                          "a node of the database can be written to that was not seen to follow the one that was: set "
                          "it to read_only for a second if it is right all the same",
                          _nodes[*_lastWriter].address.name(), "none is written to"});
    _areStray = choice.areStray;
    if (choice.isReplaced && now >= _nextReplaced) {
        _nextReplaced = now + REPLACED_INTERVAL;
        _isReplacedUntold = true;
        _lines.push_back({LogLevel::Error, "the nodes of the database are another cluster than before",
                          _nodes.front().address.name(), "this process does not go to them"});
    }
    const bool isMoving = choice.node != _writer.node;
    if (isMoving) {
        if (_writer.node && _nodes[*_writer.node].report.isFull())
            ++_losses[*_writer.node]; // its rollbacks hang, too: nobody is to wait for it
        const std::string from = _lastWriter ? _nodes[*_lastWriter].address.name() : std::string("none");
        if (choice.node) {
            _cluster = views[*choice.node].cluster;
            _nodes[*choice.node].elsewhere.hasLapsed = false;
            const bool isFirst = !_lastWriter;
            follow(*choice.node);
            _lines.push_back(
                {isFirst ? LogLevel::Information : LogLevel::Warning,
                 isFirst ? "the database is written to on this node" : "the database is written to on another node",
                 _nodes[*choice.node].address.name(), "before: " + from});
        } else if (!_changesAt) {
            _lines.push_back(
                {LogLevel::Error, "no node of the database can be written to", from, _nodes[*_writer.node].state});
        }
        // Servers change over one after the other: those that are late within `returnAfter` and this.
        _writer.settledAt = now + _settings.returnAfter + SETTLING;
        _committed = 0;
    }
    const bool isGalera = choice.node && _nodes[*choice.node].report.isGalera;
    _leaseEnd = isGalera && *choice.node == 0 ? leaseEndAt() : Clock::time_point::max();
    if (now >= _leaseEnd)
        _writer.settledAt = std::max(_writer.settledAt, now + SETTLING);
    // Somebody may still write elsewhere: to the first node, which this server alone does not reach, or to the last
    // one. And what was written there may be a while on its way.
    const bool readsInStep =
        isGalera && (*choice.node > 0 || now < _writer.settledAt || _nodes[*choice.node].report.committed < _committed);
    if (isMoving || readsInStep != _writer.readsInStep)
        move(_writer, choice.node, readsInStep);
}

void DatabaseNodes::follow(std::size_t writer) {
    if (_lastWriter == writer)
        return;
    if (_lastWriter)
        ++_failovers;
    _lastWriter = writer;
    for (Node& node : _nodes)
        node.wasClosed = node.isUp && node.report.isReadOnly;
}

void DatabaseNodes::decideReader() {
    const auto now = Clock::now();
    const bool readsElsewhere = _readFrom && mayReadFrom(_nodes[*_readFrom], now);
    const auto node = readsElsewhere ? _readFrom : _writer.node;
    const bool readsInStep = readsElsewhere || _writer.readsInStep;
    if (node != _reader.node || readsInStep != _reader.readsInStep)
        move(_reader, node, readsInStep);
}

/// Also when it is closed for writes. What replicas that follow a primary have read would be too old.
bool DatabaseNodes::mayReadFrom(const Node& node, Clock::time_point now) const {
    const bool isInStep = node.fitness == NodeFitness::InStep || (node.isKnown && node.report.isReadOnly);
    if (node.report.isFull())
        return false;
    if (!isInStep || !node.report.isGalera || !node.report.isReady || node.report.state != NodeReport::SYNCED ||
        node.report.cluster != _cluster)
        return false;
    const bool isReader = _reader.node == _readFrom;
    return isReader || !_reader.node || !node.inStepSince || now - *node.inStepSince >= _settings.returnAfter;
}

void DatabaseNodes::move(Part& part, std::optional<std::size_t> node, bool readsInStep) {
    part.node = node;
    part.readsInStep = readsInStep;
    ++part.epoch;
    _isChangeUntold = true;
}

void DatabaseNodes::tell(std::unique_lock<std::mutex>& lock) {
    const auto lines = std::exchange(_lines, {});
    std::vector<std::shared_ptr<Subscription>> listeners;
    if (std::exchange(_isChangeUntold, false)) {
        std::erase_if(_listeners, [](const auto& listener) { return listener->isOver(); });
        listeners = _listeners;
    }
    const auto replaced = std::exchange(_isReplacedUntold, false) ? _onReplaced : Listener();
    if (lines.empty() && listeners.empty() && !replaced)
        return;
    lock.unlock();
    for (const auto& listener : listeners)
        listener->call();
    listeners.clear();
    if (_log)
        for (const Line& line : lines)
            _log->write(line.level, line.message, {{"node", line.node}, {"state", line.detail}});
    if (replaced)
        replaced();
    lock.lock();
}

DatabaseNodes::Target DatabaseNodes::target(NodeRole role) {
    std::unique_lock lock(_mutex);
    const Part& wanted = part(role);
    _changed.wait_for(lock, _settings.failoverAfter + LOOK_HOLDS + VERDICT_MARGIN,
                      [&] { return _isStopping || wanted.node || (areAllKnown() && !_changesAt); });
    if (!wanted.node)
        throw databaseAway();
    const std::size_t node = *wanted.node;
    return {_nodes[node].address, wanted.readsInStep, {node, _losses[node], wanted.epoch}};
}

void DatabaseNodes::noteLost(const NodeSession& session) noexcept {
    if (isLost(session))
        return; // it is known
    {
        const std::lock_guard lock(_mutex);
        Node& node = _nodes[session.node];
        node.suspected = node.begun + 1;
        node.isDue = true;
    }
    _changed.notify_all();
}

void DatabaseNodes::noteFull(const NodeSession& session) noexcept {
    if (isLost(session))
        return; // it is known
    {
        const std::lock_guard lock(_mutex);
        Node& node = _nodes[session.node];
        node.fullUntil = Clock::now() + FULL_FOR;
        node.suspected = node.begun + 1;
        node.isDue = true;
    }
    _changed.notify_all();
}

void DatabaseNodes::awaitLook(NodeRole role) {
    Part& wanted = part(role);
    if (Clock::now() < wanted.heldUntil.load())
        return;
    std::unique_lock lock(_mutex);
    if (wanted.node && !wanted.readsInStep && Clock::now() >= _leaseEnd) {
        decide(); // from now on its reads wait for the cluster
        tell(lock);
    }
    if (wanted.node)
        _nodes[*wanted.node].isDue = true;
    _changed.notify_all();
    // Without a node target() waits.
    if (!_changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN,
                           [&] { return _isStopping || !wanted.node || Clock::now() < wanted.heldUntil.load(); }))
        throw databaseAway();
}

void DatabaseNodes::awaitVerdict(NodeRole role) {
    std::unique_lock lock(_mutex);
    const Part& wanted = part(role);
    _changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN, [&] {
        return _isStopping || !wanted.node || _nodes[*wanted.node].ended >= _nodes[*wanted.node].suspected;
    });
}

std::shared_ptr<void> DatabaseNodes::listen(Listener listener) {
    const auto subscription = std::make_shared<Subscription>(std::move(listener));
    const std::lock_guard lock(_mutex);
    _listeners.push_back(subscription);
    return {nullptr, [subscription](std::nullptr_t) { subscription->end(); }};
}

void DatabaseNodes::onReplaced(Listener listener) {
    const std::lock_guard lock(_mutex);
    _onReplaced = std::move(listener);
}

bool DatabaseNodes::isAmbiguous() const {
    const std::lock_guard lock(_mutex);
    return _isAmbiguous || _areStray;
}

bool DatabaseNodes::readsInStep() const {
    const std::lock_guard lock(_mutex);
    return _writer.readsInStep;
}

std::vector<NodeStatus> DatabaseNodes::status() const {
    const std::lock_guard lock(_mutex);
    std::vector<NodeStatus> all;
    for (std::size_t i = 0; i < _nodes.size(); ++i)
        all.push_back({_nodes[i].address.name(), _nodes[i].fitness, _nodes[i].state, _nodes[i].isUp, _writer.node == i,
                       _reader.node == i});
    return all;
}

} // namespace supplierd::host
