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
    : _settings(settings),
      _log(log),
      _state(settings, readFrom),
      _questions(settings.nodes.size()),
      _losses(settings.nodes.size()) {
    for (std::size_t i = 0; i < _questions.size(); ++i)
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
    Questions& questions = _questions[index];
    NodeProbe probe(_settings.at(_settings.nodes[index]));
    while (!_isStopping) {
        questions.isDue = false;
        const auto begun = NodeClock::now();
        questions.asking = begun;
        ++questions.begun;
        const bool isFull = _state.isMarkedFull(index, begun);
        lock.unlock();
        NodeProbe::Answer answer;
        try {
            answer = probe.ask(isFull);
        } catch (const std::exception& failure) {
            answer.problem = failure.what();
        }
        lock.lock();
        questions.asking.reset();
        ++questions.ended;
        // The others show who is still a member.
        if (_state.accept(index, answer, begun, NodeClock::now()))
            for (Questions& other : _questions)
                other.isDue = &other != &questions;
        decide(lock);
        _changed.wait_for(lock, _writer.target.node ? ASK_INTERVAL : URGENT_INTERVAL,
                          [&] { return _isStopping || questions.isDue; });
    }
}

/// A thread that waits for an answer cannot say that none comes.
void DatabaseNodes::watchForSilence() {
    std::unique_lock lock(_mutex);
    while (!_changed.wait_for(lock, TICK, [this] { return _isStopping; })) {
        const auto now = NodeClock::now();
        for (std::size_t i = 0; i < _questions.size(); ++i) {
            const WatchedNode& node = _state.nodes()[i];
            const bool isSilent = _questions[i].asking && now - *_questions[i].asking >= _settings.failoverAfter;
            if (isSilent && (node.hasReport || !node.isKnown))
                _state.noteSilence(i, now);
        }
        decide(lock);
    }
}

void DatabaseNodes::decide(std::unique_lock<std::mutex>& lock) {
    const auto now = NodeClock::now();
    _state.decide(now);
    bool isNews = update(_writer, _state.writer());
    isNews |= update(_reader, _state.reader());
    for (std::size_t i = 0; i < _losses.size(); ++i)
        isNews |= _losses[i].exchange(_state.nodes()[i].losses) != _state.nodes()[i].losses;
    if (_state.choice().isReplaced && now >= _nextReplaced) {
        _nextReplaced = now + REPLACED_INTERVAL;
        isNews = true;
    }
    _changed.notify_all();
    const auto lines = _state.takeLines();
    std::vector<std::shared_ptr<Subscription>> listeners;
    if (isNews) {
        std::erase_if(_listeners, [](const auto& listener) { return listener->isOver(); });
        listeners = _listeners;
    }
    if (lines.empty() && listeners.empty())
        return;
    lock.unlock();
    for (const auto& listener : listeners)
        listener->call();
    listeners.clear();
    if (_log)
        for (const auto& line : lines)
            _log->write(line.level, line.message, {{"node", line.node}, {"state", line.detail}});
    lock.lock();
}

bool DatabaseNodes::update(Part& part, const NodeTarget& target) {
    // Reads of the first node that wait for the cluster need no look: they are as new as on any other. Who writes to
    // another one has to know that those before it are still not used.
    const auto& nodes = _state.nodes();
    auto heldUntil = target.node ? NodeClock::time_point::max() : NodeClock::time_point();
    if (target.node && !target.readsInStep)
        heldUntil = nodes[*target.node].lookedAt + LOOK_HOLDS;
    else if (target.node > std::size_t{0} && &part == &_writer)
        for (std::size_t i = 0; i <= *target.node; ++i)
            if (nodes[i].hasReport)
                heldUntil = std::min(heldUntil, nodes[i].lookedAt + _settings.failoverAfter + LOOK_HOLDS);
    part.heldUntil = heldUntil;
    if (std::exchange(part.target, target) == target)
        return false;
    ++part.epoch;
    return true;
}

DatabaseNodes::Target DatabaseNodes::target(NodeRole role) {
    std::unique_lock lock(_mutex);
    const Part& wanted = part(role);
    _changed.wait_for(lock, _settings.failoverAfter + LOOK_HOLDS + VERDICT_MARGIN, [&] {
        return _isStopping || wanted.target.node || (_state.areAllKnown() && !_state.isChanging());
    });
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
        if (isFull)
            _state.noteFull(session.node, NodeClock::now());
        Questions& questions = _questions[session.node];
        questions.suspected = questions.begun + 1;
        questions.isDue = true;
    }
    _changed.notify_all();
}

void DatabaseNodes::awaitLook(NodeRole role) {
    const Part& wanted = part(role);
    if (NodeClock::now() < wanted.heldUntil.load())
        return;
    std::unique_lock lock(_mutex);
    if (wanted.target.node)
        _questions[*wanted.target.node].isDue = true;
    _changed.notify_all();
    // Without a node target() waits.
    if (!_changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN, [&] {
            return _isStopping || !wanted.target.node || NodeClock::now() < wanted.heldUntil.load();
        }))
        throw databaseAway();
}

void DatabaseNodes::awaitVerdict(NodeRole role) {
    std::unique_lock lock(_mutex);
    const Part& wanted = part(role);
    _changed.wait_for(lock, _settings.failoverAfter + VERDICT_MARGIN, [&] {
        return _isStopping || !wanted.target.node ||
               _questions[*wanted.target.node].ended >= _questions[*wanted.target.node].suspected;
    });
}

void DatabaseNodes::noteOtherWriters(std::set<std::string> identities) {
    std::unique_lock lock(_mutex);
    _state.noteOtherWriters(std::move(identities));
    decide(lock);
}

bool DatabaseNodes::needsOtherWriters() const {
    const std::lock_guard lock(_mutex);
    return _state.needsOtherWriters();
}

std::string DatabaseNodes::writerIdentity() const {
    const std::lock_guard lock(_mutex);
    return _writer.target.node ? _state.nodes()[*_writer.target.node].report.identity : std::string();
}

std::shared_ptr<void> DatabaseNodes::listen(Listener listener) {
    const auto subscription = std::make_shared<Subscription>(std::move(listener));
    const std::lock_guard lock(_mutex);
    _listeners.push_back(subscription);
    return {nullptr, [subscription](std::nullptr_t) { subscription->end(); }};
}

DatabaseNodes::Overview DatabaseNodes::overview() const {
    const std::lock_guard lock(_mutex);
    const WriterChoice& choice = _state.choice();
    return {choice.isAmbiguous || choice.areFormerPrimaries, choice.isReplaced, _writer.target.readsInStep,
            _state.failovers(), _state.problem()};
}

std::vector<NodeStatus> DatabaseNodes::status() const {
    const std::lock_guard lock(_mutex);
    std::vector<NodeStatus> all;
    for (std::size_t i = 0; i < _questions.size(); ++i) {
        const WatchedNode& node = _state.nodes()[i];
        all.push_back({node.address.name(), node.fitness, node.state, node.isUp, _writer.target.node == i,
                       _reader.target.node == i, node.report.isGalera});
    }
    return all;
}

} // namespace supplierd::host
