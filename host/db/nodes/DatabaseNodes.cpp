#include "host/db/nodes/DatabaseNodes.h"

#include "host/db/ErrorClass.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// A node is asked again after this; while none is written to, sooner.
constexpr milliseconds ASK_INTERVAL{500};
constexpr milliseconds URGENT_INTERVAL{100};

/// Of looking at how long the nodes have been silent, and at what becomes true with time.
constexpr milliseconds TICK{100};

/// What is waited for beyond `failoverAfter`: a question is asked before its silence begins.
constexpr milliseconds VERDICT_MARGIN{500};

constexpr std::chrono::seconds REPLACED_INTERVAL{30};

} // namespace

DatabaseNodes::DatabaseNodes(const SessionSettings& settings, std::optional<std::size_t> readFrom, Logger* log)
    : _settings(settings),
      _log(log),
      _state(_settings, readFrom),
      _questions(settings.nodes.size()),
      _losses(settings.nodes.size()) {
    for (std::size_t i = 0; i < _questions.size(); ++i)
        _threads.emplace_back([this, i](const std::stop_token& stop) { watch(stop, i); });
    _threads.emplace_back([this](const std::stop_token& stop) { watchForSilence(stop); });
}

/// None waits for the end of another one's question.
DatabaseNodes::~DatabaseNodes() {
    for (auto& thread : _threads)
        thread.request_stop();
}

void DatabaseNodes::watch(const std::stop_token& stop, std::size_t index) {
    std::unique_lock lock(_mutex);
    Question& question = _questions[index];
    NodeProbe probe(_settings.at(_settings.nodes[index]));
    while (!stop.stop_requested()) {
        const auto begun = NodeClock::now();
        question.isDue = false;
        question.asking = begun;
        const bool isFull = _state.isMarkedFull(index, begun);
        lock.unlock();
        NodeProbe::Answer answer;
        try {
            answer = probe.ask(isFull);
        } catch (const std::exception& failure) {
            answer.problem = failure.what();
        }
        lock.lock();
        question.asking.reset();
        // The others show who is still a member.
        if (_state.accept(index, answer, begun, NodeClock::now()))
            for (Question& other : _questions)
                if (&other != &question)
                    other.isDue = true;
        decide(lock);
        _changed.wait_for(lock, stop, _writer.target.node ? ASK_INTERVAL : URGENT_INTERVAL,
                          [&] { return question.isDue; });
    }
}

/// A thread that waits for an answer cannot say that none comes.
void DatabaseNodes::watchForSilence(const std::stop_token& stop) {
    const NodeProbe::Answer silence{std::nullopt,
                                    "no answer for " + std::to_string(_settings.failoverAfter.count()) + " ms"};
    std::unique_lock lock(_mutex);
    const auto isStopping = [&] { return stop.stop_requested(); };
    while (!_changed.wait_for(lock, stop, TICK, isStopping)) {
        const auto now = NodeClock::now();
        for (std::size_t i = 0; i < _questions.size(); ++i) {
            const WatchedNode& node = _state.nodes()[i];
            const auto asking = _questions[i].asking;
            if (asking && now - *asking >= _settings.failoverAfter && (node.hasReport || !node.isKnown))
                _state.accept(i, silence, *asking, now);
        }
        decide(lock);
    }
}

void DatabaseNodes::decide(std::unique_lock<std::mutex>& lock) {
    const auto now = NodeClock::now();
    _state.decide(now);
    const NodeDecision& decision = _state.decision();
    bool isNews = false;
    for (auto& [part, target] : {std::pair(&_writer, decision.writer), std::pair(&_reader, decision.reader)}) {
        if (std::exchange(part->target, target) != target) {
            ++part->epoch;
            isNews = true;
        }
        hold(*part);
    }
    for (std::size_t i = 0; i < _losses.size(); ++i)
        isNews |= _losses[i].exchange(_state.nodes()[i].losses) != _state.nodes()[i].losses;
    if (decision.choice.isReplaced && now >= _nextReplaced) {
        _nextReplaced = now + REPLACED_INTERVAL;
        isNews = true;
    }
    _changed.notify_all();
    const auto lines = _state.takeLines();
    if (!isNews && lines.empty())
        return;
    lock.unlock();
    if (isNews) {
        const std::lock_guard calling(_calling);
        for (const auto& [id, listener] : _listeners)
            listener();
    }
    if (_log)
        for (const auto& line : lines)
            _log->write(line.level, line.message, {{"node", line.node}, {"state", line.state}});
    lock.lock();
}

/// Who writes to another node than the first has to know that those before it are still not used. A silent one of them
/// is waited for no longer than it takes to call it so.
void DatabaseNodes::hold(Part& part) {
    const auto& node = part.target.node;
    auto until = node ? NodeClock::time_point::max() : NodeClock::time_point();
    for (std::size_t i = 0; node && i <= *node; ++i) {
        const WatchedNode& looked = _state.nodes()[i];
        const auto longest = i == *node ? LOOK_HOLDS : LOOK_HOLDS + _settings.failoverAfter;
        if (looked.hasReport)
            until = std::min(until, looked.lookedAt < _questions[i].suspectedAt ? NodeClock::time_point()
                                                                                : looked.lookedAt + longest);
    }
    part.heldUntil = until;
}

DatabaseNodes::Target DatabaseNodes::target(NodeRole role) {
    std::unique_lock lock(_mutex);
    const Part& wanted = part(role);
    _changed.wait_for(lock, _settings.failoverAfter + LOOK_HOLDS + VERDICT_MARGIN,
                      [&] { return wanted.target.node || !_state.decision().isUndecided; });
    if (!wanted.target.node)
        throw databaseAway();
    const std::size_t node = *wanted.target.node;
    return {_settings.nodes[node], wanted.target.readsInStep, {node, _losses[node], wanted.epoch}};
}

void DatabaseNodes::suspect(const NodeSession& session, bool isFull) noexcept {
    if (isLost(session))
        return; // it is known
    {
        const std::lock_guard lock(_mutex);
        const auto now = NodeClock::now();
        if (isFull)
            _state.noteFull(session.node, now);
        _questions[session.node].suspectedAt = now;
        _questions[session.node].isDue = true;
        hold(_writer);
        hold(_reader);
    }
    _changed.notify_all();
}

void DatabaseNodes::awaitLook(NodeRole role) {
    const Part& wanted = part(role);
    const auto isHeld = [&] { return NodeClock::now() < wanted.heldUntil.load(); };
    if (isHeld())
        return;
    std::unique_lock lock(_mutex);
    for (std::size_t i = 0; wanted.target.node && i <= *wanted.target.node; ++i)
        _questions[i].isDue = true;
    _changed.notify_all();
    // Without a node target() waits.
    if (!_changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN,
                           [&] { return !wanted.target.node || isHeld(); }))
        throw databaseAway();
}

void DatabaseNodes::noteOtherWriters(std::set<std::string> identities, NodeClock::time_point asked) {
    std::unique_lock lock(_mutex);
    _state.noteOtherWriters(std::move(identities), asked);
    decide(lock);
}

void DatabaseNodes::noteShown(const std::string& identity, NodeClock::time_point begun) {
    std::unique_lock lock(_mutex);
    _state.noteShown(identity, begun, NodeClock::now());
    decide(lock);
}

std::shared_ptr<void> DatabaseNodes::listen(Listener listener) {
    const std::lock_guard calling(_calling);
    const auto handle = std::make_shared<Listener>(std::move(listener));
    _listeners[handle.get()] = *handle;
    return {handle.get(), [this, handle](void*) {
                const std::lock_guard ending(_calling);
                _listeners.erase(handle.get());
            }};
}

DatabaseNodes::Overview DatabaseNodes::overview() const {
    const std::lock_guard lock(_mutex);
    const NodeDecision& decision = _state.decision();
    return {decision.choice.isAmbiguous || decision.choice.areFormerPrimaries,
            decision.choice.isReplaced,
            decision.writer.readsInStep,
            decision.failovers,
            decision.problem,
            decision.needsOtherWriters,
            decision.needsToBeShown};
}

std::vector<NodeStatus> DatabaseNodes::status() const {
    const std::lock_guard lock(_mutex);
    std::vector<NodeStatus> all;
    for (std::size_t i = 0; i < _questions.size(); ++i) {
        const WatchedNode& node = _state.nodes()[i];
        all.push_back({node.name, node.fitness, node.state, node.report.identity, node.isUp(), _writer.target.node == i,
                       _reader.target.node == i});
    }
    return all;
}

} // namespace supplierd::host
