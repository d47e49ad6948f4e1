#include "host/db/SessionPool.h"

#include "host/db/Connector.h"
#include "host/db/DatabaseRun.h"
#include "host/db/ErrorClass.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

using Clock = PooledSession::Clock;
using SessionPointer = std::unique_ptr<PooledSession>;

/// Newcomers may overtake a waiter for this long: a session handed over lies still until its thread wakes up. After it
/// they queue, so that no waiter is passed over until its deadline.
constexpr std::chrono::milliseconds OVERTAKING{20};

} // namespace

/// The sessions and the queue for them, shared by the pool and its leases.
class SessionPool::Sessions {
public:
    Sessions(SessionSettings session, PoolSettings pool, std::shared_ptr<DatabaseNodes> nodes, NodeRole role,
             Logger* log)
        : _settings(std::move(session)), _pool(pool), _nodes(std::move(nodes)), _role(role), _log(log) {
        _idle.reserve(_pool.size);
        _lent.reserve(_pool.size);
    }

    /// No call of changeOver() may find a part of it gone.
    ~Sessions() { _listening.reset(); }
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;

    /// From now on it is told when its sessions are to go to another node.
    static void follow(const std::shared_ptr<Sessions>& self);

    SessionPointer take(bool fresh);
    void giveBack(SessionPointer session) noexcept;
    void closeIdle() noexcept;
    void close() noexcept;
    PoolStats stats() const noexcept;
    bool hasSeveralNodes() const noexcept { return _nodes != nullptr; }

private:
    struct Waiter {
        std::condition_variable wake;
        Clock::time_point since;
    };

    SessionPointer claimSlot();
    bool mayTake(const Waiter* self) const;
    SessionPointer open();
    SessionPointer openToNode();
    bool isUsable(PooledSession& session);
    void noteLent(const PooledSession& session);
    void drop(SessionPointer& session) noexcept;
    void changeOver() noexcept;
    bool needsCheck(const PooledSession& session) const;
    void freeSlot() noexcept;
    void wakeNext() noexcept;

    const SessionSettings _settings;
    const PoolSettings _pool;
    const std::shared_ptr<DatabaseNodes> _nodes; ///< null: one node
    const NodeRole _role;
    Logger* const _log;
    std::shared_ptr<void> _listening;
    KnownRun _run;
    const std::shared_ptr<StatementLimit> _statements = std::make_shared<StatementLimit>();
    mutable std::mutex _mutex;
    std::vector<SessionPointer> _idle;
    std::vector<const PooledSession*> _lent; ///< with several nodes
    std::deque<Waiter*> _waiters;
    std::size_t _taken = 0; ///< slots on loan, being opened or being closed
    bool _closed = false;

    std::atomic<std::size_t> _inUseCount{0};
    std::atomic<std::size_t> _idleCount{0};
    std::atomic<std::size_t> _waitingCount{0};
    std::atomic<std::uint64_t> _opened{0};
    std::atomic<std::uint64_t> _timeouts{0};
    /// Sessions idle since before this are doubtful: another one has just been found lost.
    std::atomic<Clock::rep> _doubtfulBefore{0};
};

void SessionPool::Sessions::follow(const std::shared_ptr<Sessions>& self) {
    if (!self->_nodes)
        return;
    // A call must not own it: the last owner would end the thread of the nodes on which it is called.
    self->_listening = self->_nodes->listen([sessions = self.get()] { sessions->changeOver(); });
}

SessionPointer SessionPool::Sessions::take(bool fresh) {
    if (_nodes)
        _nodes->awaitLook(_role);
    SessionPointer session = claimSlot();
    try {
        if (_nodes)
            _nodes->awaitLook(_role); // a slot may have been waited for
        if (session && (fresh || !isUsable(*session)))
            drop(session);
        if (!session)
            session = open();
    } catch (...) {
        drop(session);
        freeSlot();
        throw;
    }
    return session;
}

bool SessionPool::Sessions::isUsable(PooledSession& session) {
    if (_nodes && !_nodes->isCurrent(_role, session.node()))
        return false;
    return !needsCheck(session) || session.ping();
}

/// Takes a slot, with the session that was used last if there is one.
SessionPointer SessionPool::Sessions::claimSlot() {
    std::unique_lock lock(_mutex);
    const auto deadline = Clock::now() + _pool.waitDeadline;
    if (!_closed && !mayTake(nullptr)) {
        Waiter self{{}, Clock::now()};
        _waiters.push_back(&self);
        ++_waitingCount;
        const bool got = self.wake.wait_until(lock, deadline, [&] { return _closed || mayTake(&self); });
        _waiters.erase(std::find(_waiters.begin(), _waiters.end(), &self));
        --_waitingCount;
        if (!got) {
            ++_timeouts;
            wakeNext();
            throw databaseBusy();
        }
    }
    if (_closed)
        throw databaseAway();
    SessionPointer session;
    if (!_idle.empty()) {
        session = std::move(_idle.back());
        _idle.pop_back();
        if (_nodes)
            _lent.push_back(session.get());
    }
    ++_taken;
    _inUseCount = _taken;
    _idleCount = _idle.size();
    // Two sessions that came back at once have woken only the first waiter.
    wakeNext();
    return session;
}

bool SessionPool::Sessions::mayTake(const Waiter* self) const {
    if (_taken >= _pool.size)
        return false;
    if (_waiters.empty() || self == _waiters.front())
        return true;
    return !self && Clock::now() - _waiters.front()->since < OVERTAKING;
}

SessionPointer SessionPool::Sessions::open() {
    SessionPointer session =
        _nodes ? openToNode() : std::make_unique<PooledSession>(openSession(_settings), _statements);
    try {
        if (_role == NodeRole::Writer) // the cluster of a node that is only read from is written to as well
            noteDatabaseRun(*session, _run, _log);
    } catch (...) {
        if (_nodes && session->broken())
            _nodes->noteLost(session->node());
        drop(session);
        throw;
    }
    ++_opened;
    return session;
}

SessionPointer SessionPool::Sessions::openToNode() {
    const DatabaseNodes::Target target = _nodes->target(_role);
    SessionSettings settings = _settings.at(target.address);
    settings.readsInStep = target.readsInStep;
    try {
        SessionPointer session = std::make_unique<PooledSession>(openSession(settings), _statements);
        session->setNode(target.session);
        session->makeInterruptible();
        noteLent(*session);
        return session;
    } catch (const DatabaseError&) {
        _nodes->noteLost(target.session);
        throw;
    }
}

void SessionPool::Sessions::noteLent(const PooledSession& session) {
    const std::lock_guard lock(_mutex);
    _lent.push_back(&session);
    // changeOver() may have come before it was there to be found.
    if (_nodes->isLost(session.node()))
        session.interrupt();
}

void SessionPool::Sessions::drop(SessionPointer& session) noexcept {
    {
        const std::lock_guard lock(_mutex);
        std::erase(_lent, session.get());
    }
    session.reset();
}

void SessionPool::Sessions::changeOver() noexcept {
    std::vector<SessionPointer> closing;
    closing.reserve(_pool.size);
    const std::lock_guard lock(_mutex);
    // Those to its node stay when another one was lost.
    const auto outdated = std::partition(_idle.begin(), _idle.end(), [this](const SessionPointer& session) {
        return _nodes->isCurrent(_role, session->node()) && !_nodes->isLost(session->node());
    });
    std::move(outdated, _idle.end(), std::back_inserter(closing));
    _idle.erase(outdated, _idle.end());
    _idleCount = _idle.size();
    for (const PooledSession* const session : _lent)
        if (_nodes->isLost(session->node()))
            session->interrupt();
}

bool SessionPool::Sessions::needsCheck(const PooledSession& session) const {
    const Clock::time_point since = session.idleSince();
    return Clock::now() - since > _pool.checkAfterIdle || since.time_since_epoch().count() <= _doubtfulBefore;
}

void SessionPool::Sessions::giveBack(SessionPointer session) noexcept {
    // First: a rollback on a full disk may hang until its node is left.
    if (session->takeLackOfRoom() && _nodes)
        _nodes->noteFull(session->node());
    const bool usable = session->tidy();
    const auto now = Clock::now();
    if (session->broken()) {
        _doubtfulBefore = now.time_since_epoch().count();
        if (_nodes)
            _nodes->noteLost(session->node());
    }
    const bool old = (_pool.maxAge.count() > 0 && now - session->openedAt() > _pool.maxAge) ||
                     (_nodes && !_nodes->isCurrent(_role, session->node()));
    {
        std::lock_guard lock(_mutex);
        if (_nodes)
            std::erase(_lent, session.get());
        if (usable && !old && !_closed) {
            session->markIdle(now);
            _idle.push_back(std::move(session));
        }
    }
    session.reset();
    freeSlot();
}

void SessionPool::Sessions::freeSlot() noexcept {
    std::lock_guard lock(_mutex);
    --_taken;
    _inUseCount = _taken;
    _idleCount = _idle.size();
    wakeNext();
}

void SessionPool::Sessions::wakeNext() noexcept {
    if (!_waiters.empty() && _taken < _pool.size)
        _waiters.front()->wake.notify_one();
}

void SessionPool::Sessions::closeIdle() noexcept {
    std::vector<SessionPointer> closing;
    closing.reserve(_pool.size); // what comes back must find room without an allocation
    const std::lock_guard lock(_mutex);
    closing.swap(_idle);
    _idleCount = 0;
}

void SessionPool::Sessions::close() noexcept {
    std::vector<SessionPointer> closing;
    std::lock_guard lock(_mutex);
    _closed = true;
    closing.swap(_idle);
    _idleCount = 0;
    for (Waiter* waiter : _waiters)
        waiter->wake.notify_one();
}

PoolStats SessionPool::Sessions::stats() const noexcept {
    return {_pool.size, _inUseCount, _idleCount, _waitingCount, _opened, _timeouts};
}

SessionPool::Lease::Lease(std::shared_ptr<Sessions> from, SessionPointer session)
    : _from(std::move(from)), _session(std::move(session)) {}

SessionPool::Lease& SessionPool::Lease::operator=(Lease&& other) noexcept {
    if (this != &other) {
        release();
        _from = std::move(other._from);
        _session = std::move(other._session);
    }
    return *this;
}

void SessionPool::Lease::release() noexcept {
    if (_session)
        _from->giveBack(std::move(_session));
}

SessionPool::SessionPool(SessionSettings session, PoolSettings pool, std::shared_ptr<DatabaseNodes> nodes,
                         NodeRole role, Logger* log)
    : _sessions(std::make_shared<Sessions>(std::move(session), pool, std::move(nodes), role, log)) {
    Sessions::follow(_sessions);
}

SessionPool::~SessionPool() {
    close();
}

SessionPool::Lease SessionPool::acquire() {
    return {_sessions, _sessions->take(false)};
}

SessionPool::Lease SessionPool::acquireFresh() {
    return {_sessions, _sessions->take(true)};
}

bool SessionPool::hasSeveralNodes() const noexcept {
    return _sessions->hasSeveralNodes();
}

PoolStats SessionPool::stats() const noexcept {
    return _sessions->stats();
}

void SessionPool::closeIdle() noexcept {
    _sessions->closeIdle();
}

void SessionPool::close() noexcept {
    _sessions->close();
}

} // namespace supplierd::host
