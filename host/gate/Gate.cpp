#include "host/gate/Gate.h"

#include "host/base/EventDescriptor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace supplierd::host {

namespace {

constexpr int EVENTS = 64;
/// Connections that have another turn before new ones, and what came meanwhile, are looked at again.
constexpr int TURNS = 32;
/// While requests wait for a worker.
constexpr auto QUEUE_INTERVAL = std::chrono::milliseconds(5);
/// So many requests keep the workers busy for longer than that.
constexpr std::size_t ENOUGH_WORK = 128;

Poco::Net::SocketAddress addressOf(int listening) {
    sockaddr_storage storage{};
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    socklen_t length = sizeof(storage);
    if (::getsockname(listening, address, &length) != 0)
        throw std::system_error(errno, std::generic_category(), "getsockname");
    return {address, length};
}

int require(int result, const char* what) {
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

WorkerQueue::Limits queueLimits(const GateSettings& settings) {
    return {settings.workers, settings.shortRunning, std::max<std::size_t>(settings.maxQueued, 1)};
}

} // namespace

Gate::Gate(const GateSettings& settings, int listening, Refusals& refusals, TlsContext* tls)
    : _settings(settings),
      _listening(listening),
      _address(addressOf(listening)),
      _refusals(refusals),
      _tls(tls),
      _queue(queueLimits(settings)),
      _addresses(settings.connectionsPerAddress),
      _ledger(settings.held),
      _epoll(require(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      _event(newEventDescriptor()) {
    epoll_event wanted{EPOLLIN, {.ptr = this}};
    require(::epoll_ctl(_epoll.get(), EPOLL_CTL_ADD, _event.get(), &wanted), "epoll_ctl");
}

Gate::~Gate() {
    if (_thread.joinable()) {
        _queue.close();
        _isEnding = true;
        wake();
        _thread.join();
    }
}

void Gate::start() {
    watchListening(true);
    _thread = std::thread([this] { run(); });
}

int Gate::drain(Backlog backlog, std::chrono::milliseconds grace, std::chrono::milliseconds limit) {
    _backlog = backlog;
    _grace = grace;
    _isDraining.store(true, std::memory_order_release);
    wake();
    std::unique_lock lock(_mutex);
    _changed.wait_for(lock, limit, [this] { return _acceptingEnded; });
    return open();
}

bool Gate::finish(Clock::time_point until) {
    bool isFinished = false;
    {
        std::unique_lock lock(_mutex);
        isFinished = _changed.wait_until(lock, until, [this] { return open() == 0; });
    }
    _queue.close();
    _isEnding = true;
    wake();
    if (_thread.joinable())
        _thread.join();
    return isFinished;
}

void Gate::wake() const {
    ::eventfd_write(_event.get(), 1); // fails only at a counter of 2^64
}

// The gate's thread.

void Gate::run() {
    std::array<epoll_event, EVENTS> events{};
    _now = Clock::now();
    while (!_isEnding) {
        const int count = ::epoll_wait(_epoll.get(), events.data(), EVENTS, waitMilliseconds(_now));
        _now = Clock::now();
        bool hasAccepted = false;
        for (const auto* event = events.data(); event < events.data() + std::max(count, 0); ++event) {
            if (event->data.ptr == nullptr) {
                hasAccepted = true;
            } else if (event->data.ptr == this) {
                eventfd_t ignored = 0;
                ::eventfd_read(_event.get(), &ignored);
            } else {
                auto& connection = *static_cast<Connection*>(event->data.ptr);
                if (!connection.takeOnEvent())
                    continue;
                if ((event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
                    connection.isEnding = true;
                if (!connection.isUnfinished)
                    advance(connection);
            }
        }
        if (hasAccepted)
            accept();
        takeBack();
        for (auto turns = std::min<std::size_t>(_unfinished.size(), TURNS); turns > 0; --turns) {
            auto& connection = *_unfinished.front();
            _unfinished.pop_front();
            connection.isUnfinished = false;
            advance(connection);
        }
        endPauses();
        if (_isDraining.load(std::memory_order_acquire) && !_hasBegunDrain)
            beginDrain();
        if (_queue.waiting() > 0) {
            _queue.makeRoom(_now);
            for (auto* connection : _queue.takeOlderThan(_now - _settings.queueTime)) {
                connection->takeFromWorker();
                if (refuse(*connection, {503, "queue_time", "The server is busy; try again"}, false) == Step::Again)
                    advance(*connection);
            }
        }
        if (_now >= _nextCheck)
            checkDeadlines();
        _closed.clear();
        // More comes in than can be answered. To wake up for each that is refused would take more of the processors
        // from those that are answered than refusing several at once does.
        if (std::exchange(_hasShed, false) && _queue.waiting() >= ENOUGH_WORK)
            std::this_thread::sleep_for(QUEUE_INTERVAL);
    }
    cutOff();
}

int Gate::waitMilliseconds(Clock::time_point now) const {
    if (!_unfinished.empty())
        return 0;
    if (_queue.waiting() > 0 || !_paused.empty())
        return static_cast<int>(QUEUE_INTERVAL.count());
    if (_connections.empty() && (_isListening || _hasBegunDrain))
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(_nextCheck - now).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, CHECK_INTERVAL.count()));
}

std::array<int, Connection::PHASES> Gate::phases() const {
    std::array<int, Connection::PHASES> counts{};
    std::transform(_phases.begin(), _phases.end(), counts.begin(), [](const auto& count) { return count.load(); });
    return counts;
}

/// What workers have given back.
void Gate::takeBack() {
    std::vector<Connection*> returned;
    {
        const std::lock_guard lock(_mutex);
        returned.swap(_returned);
    }
    for (auto* connection : returned) {
        if (connection->takeFromWorker())
            connection->isEnding = true; // the event that was missed may have said so
        advance(*connection);
    }
}

/// It could go on, but others have their turn first.
Gate::Step Gate::yieldTurn(Connection& connection) {
    connection.isUnfinished = true;
    _unfinished.push_back(&connection);
    return Step::Given;
}

/// Who asks again at once for what was just refused, although he was told to wait, would only make the server busier:
/// his next request is left where it is for a while.
Gate::Step Gate::pause(Connection& connection) {
    constexpr auto PAUSE = std::chrono::milliseconds(250);
    connection.isPutOff = false;
    connection.pausedUntil = _now + PAUSE;
    _paused.push_back(&connection);
    return Step::Given;
}

void Gate::endPauses() {
    while (!_paused.empty() && _paused.front()->pausedUntil <= _now) {
        auto& connection = *_paused.front();
        _paused.pop_front();
        connection.pausedUntil = {};
        advance(connection);
    }
}

void Gate::checkDeadlines() {
    _nextCheck = _now + CHECK_INTERVAL;
    std::array<int, Connection::PHASES> counts{};
    for (std::size_t i = 0; i < _connections.size();) {
        auto* const connection = _connections[i].get();
        ++counts.at(static_cast<std::size_t>(connection->phase.load(std::memory_order_relaxed)));
        if (connection->isOverdue(_now) && connection->takeIfWaiting())
            expire(*connection);
        else if (_hasBegunDrain && !connection->isOverdue(_now + _grace) && connection->takeIfWaiting())
            endIdleness(*connection, _now + _grace); // a worker had it when the drain began
        if (i < _connections.size() && _connections[i].get() == connection)
            ++i; // otherwise another one has taken its place
    }
    std::copy(counts.begin(), counts.end(), _phases.begin());
    if (!_isListening && !_hasBegunDrain && open() < _settings.maxConnections)
        watchListening(true);
}

/// What a connection waited for has not come in time.
void Gate::expire(Connection& connection) {
    switch (connection.phase) {
    case Connection::Phase::ProxyHeader:
        if (_hasBegunDrain)
            close(connection);
        else
            closeProxied(connection, "late");
        return;
    case Connection::Phase::Head:
        if (connection.check.hasBegun() && !_hasBegunDrain) {
            if (refuse(connection, {408, "head_time", "The request did not come in time"}, true) == Step::Again)
                advance(connection);
            return;
        }
        connection.closesWhenSilent = true; // its request may have come this moment
        advance(connection);
        return;
    case Connection::Phase::Body:
        if (bodyEnded(connection, connection.suspended ? Connection::BodyState::Broken
                                                       : Connection::BodyState::Pending) == Step::Again)
            advance(connection);
        return;
    case Connection::Phase::Sending:
        connection.output.end(false);
        [[fallthrough]];
    default:
        close(connection);
    }
}

void Gate::beginDrain() {
    _hasBegunDrain = true;
    if (_backlog == Backlog::Serve)
        accept();
    watchListening(false);
    for (const auto& connection : _connections)
        if (connection->takeIfWaiting())
            endIdleness(*connection, _now + _grace);
    {
        const std::lock_guard lock(_mutex);
        _acceptingEnded = true;
    }
    _changed.notify_all();
}

/// Its next request has to come until then.
void Gate::endIdleness(Connection& connection, Clock::time_point until) {
    if (connection.phase <= Connection::Phase::Head)
        connection.setDeadline(until);
    connection.wait();
}

/// What there is still. What workers have, they end themselves from now on.
void Gate::cutOff() {
    _isCutOff = true;
    std::vector<Connection*> ended;
    {
        const std::lock_guard lock(_mutex);
        _hasEnded = true;
        ended.swap(_returned);
    }
    const auto queued = _queue.takeAll();
    ended.insert(ended.end(), queued.begin(), queued.end());
    ended.insert(ended.end(), _unfinished.begin(), _unfinished.end());
    ended.insert(ended.end(), _paused.begin(), _paused.end());
    for (const auto& connection : _connections)
        if (connection->takeIfWaiting())
            ended.push_back(connection.get());
    for (auto* connection : ended)
        endAtOnce(*connection);
}

void Gate::endAtOnce(Connection& connection) {
    if (connection.phase == Connection::Phase::Closed)
        return;
    if (connection.phase == Connection::Phase::Sending)
        connection.output.end(false);
    closeTransport(connection);
}

Gate::Step Gate::close(Connection& connection) {
    if (connection.phase != Connection::Phase::Closed)
        closeTransport(connection);
    const auto index = connection.index;
    std::swap(_connections[index], _connections.back());
    _connections[index]->index = index;
    _closed.push_back(std::move(_connections.back()));
    _connections.pop_back();
    if (_connections.empty()) // nobody looks around until there is one again
        std::fill(_phases.begin(), _phases.end(), 0);
    return Step::Given;
}

void Gate::closeTransport(Connection& connection) {
    uncount(connection);
    connection.body.clear();
    connection.suspended.reset(); // it may be a plugin's, which does not outlive the last connection
    release(connection.heldBody);
    release(connection.heldResponse);
    // A process that is forked at this moment holds it open, and epoll would go on to report what is freed here.
    ::epoll_ctl(_epoll.get(), EPOLL_CTL_DEL, connection.transport->descriptor(), nullptr);
    connection.transport.reset();
    connection.phase = Connection::Phase::Closed;
    connection.setDeadline(Clock::time_point::min());
    const bool isLast = _open.fetch_sub(1, std::memory_order_acq_rel) == 1;
    if (isLast && isDraining()) {
        const std::lock_guard lock(_mutex);
        _changed.notify_all();
    }
}

} // namespace supplierd::host
