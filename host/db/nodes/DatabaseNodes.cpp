#include "host/db/nodes/DatabaseNodes.h"

#include "host/db/ErrorClass.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// A node that was well is asked again after this.
constexpr milliseconds ASK_INTERVAL{500};

/// Servers change over one after the other: those that are late within `returnAfter` and this.
constexpr milliseconds SETTLING{5'000};

/// Between two calls of onReplaced().
constexpr std::chrono::seconds REPLACED_INTERVAL{30};

/// What is waited for beyond `failoverAfter`: a question is asked before its silence begins.
constexpr milliseconds VERDICT_MARGIN{500};

} // namespace

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
        _changed.notify_all();
        lock.unlock();
        NodeProbe::Answer answer;
        try {
            answer = probe.ask();
        } catch (const std::exception& failure) {
            answer.problem = failure.what();
        }
        lock.lock();
        node.asking.reset();
        ++node.ended;
        take(index, answer);
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
    if (answer.isFull && node.isKnown)
        return; // the sessions that it has may be ours
    if (!answer.report) {
        setState(index, false, NodeFitness::Unfit, answer.problem);
        return;
    }
    node.report = *answer.report;
    const auto [fitness, state] = judge(node.report);
    setState(index, node.report.isReady, fitness, state);
}

void DatabaseNodes::setState(std::size_t index, bool isUp, NodeFitness fitness, const std::string& state) {
    Node& node = _nodes[index];
    // On a node that answers, what runs may end. On one that does not, nobody is to wait for it, whether it is written
    // to or was before.
    if (node.isUp && !isUp) {
        ++_losses[index];
        _isChangeUntold = true;
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
    }
}

bool DatabaseNodes::areAllKnown() const {
    return std::all_of(_nodes.begin(), _nodes.end(), [](const Node& node) { return node.isKnown; });
}

void DatabaseNodes::decideWriter(Clock::time_point now) {
    std::vector<NodeView> views;
    for (const Node& node : _nodes)
        views.push_back(
            {node.fitness, node.report.cluster, node.report.membership,
             node.inStepSince ? std::chrono::duration_cast<milliseconds>(now - *node.inStepSince) : milliseconds(0)});
    const WriterChoice choice = chooseWriter(views, _writer.node, _cluster, _settings.returnAfter);
    if (choice.isAmbiguous && !_isAmbiguous)
        _lines.push_back({LogLevel::Error,
                          "nodes of the database can be written to that do not share their data: set all but the one "
                          "that is right to read_only, and name none of them twice",
                          _writer.node ? _nodes[*_writer.node].address.name() : std::string(),
                          _writer.node ? "it goes on being written to" : "none is written to"});
    _isAmbiguous = choice.isAmbiguous;
    if (choice.isReplaced && now >= _nextReplaced) {
        _nextReplaced = now + REPLACED_INTERVAL;
        _isReplacedUntold = true;
        _lines.push_back({LogLevel::Error, "the nodes of the database are another cluster than before",
                          _nodes.front().address.name(), "this process does not go to them"});
    }
    const bool isMoving = choice.node != _writer.node;
    if (isMoving) {
        const std::string from = _writer.node ? _nodes[*_writer.node].address.name() : std::string("none");
        if (choice.node) {
            _cluster = views[*choice.node].cluster;
            if (_lastWriter && _lastWriter != choice.node)
                ++_failovers;
            _lastWriter = choice.node;
            const bool isFirst = _writer.settledAt == Clock::time_point();
            _lines.push_back(
                {isFirst ? LogLevel::Information : LogLevel::Warning,
                 isFirst ? "the database is written to on this node" : "the database is written to on another node",
                 _nodes[*choice.node].address.name(), "before: " + from});
        } else {
            _lines.push_back(
                {LogLevel::Error, "no node of the database can be written to", from, _nodes[*_writer.node].state});
        }
        _writer.settledAt = now + _settings.returnAfter + SETTLING;
    }
    // Somebody may still write elsewhere: to the first node, which this server alone does not reach, or to the last
    // one.
    const bool readsInStep =
        choice.node && _nodes[*choice.node].report.isGalera && (*choice.node > 0 || now < _writer.settledAt);
    if (isMoving || readsInStep != _writer.readsInStep)
        move(_writer, choice.node, readsInStep);
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
    std::vector<std::shared_ptr<Listener>> listeners;
    if (std::exchange(_isChangeUntold, false)) {
        std::erase_if(_listeners, [](const auto& listener) { return listener.expired(); });
        for (const auto& weak : _listeners)
            if (auto listener = weak.lock())
                listeners.push_back(std::move(listener));
    }
    const auto replaced = std::exchange(_isReplacedUntold, false) ? _onReplaced : Listener();
    if (lines.empty() && listeners.empty() && !replaced)
        return;
    lock.unlock();
    for (const auto& listener : listeners)
        (*listener)();
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
    _changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN,
                      [&] { return _isStopping || wanted.node || areAllKnown(); });
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

void DatabaseNodes::awaitVerdict(NodeRole role) {
    std::unique_lock lock(_mutex);
    const Part& wanted = part(role);
    _changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN, [&] {
        return _isStopping || !wanted.node || _nodes[*wanted.node].ended >= _nodes[*wanted.node].suspected;
    });
}

std::shared_ptr<void> DatabaseNodes::listen(Listener listener) {
    auto handle = std::make_shared<Listener>(std::move(listener));
    const std::lock_guard lock(_mutex);
    _listeners.push_back(handle);
    return handle;
}

void DatabaseNodes::onReplaced(Listener listener) {
    const std::lock_guard lock(_mutex);
    _onReplaced = std::move(listener);
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
