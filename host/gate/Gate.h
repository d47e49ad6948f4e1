#pragma once

#include "host/base/OwnedDescriptor.h"
#include "host/gate/AddressCounts.h"
#include "host/gate/Connection.h"
#include "host/gate/GateSettings.h"
#include "host/gate/Refusals.h"
#include "host/gate/WorkerQueue.h"
#include "host/gate/tls/TlsContext.h"

#include <Poco/Net/SocketAddress.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace supplierd::host {

/// Stands between the clients and the workers: accepts connections, keeps them in one epoll set until a whole request
/// has come, checks it, and only then gives it to a worker (WorkerSocket.h); sends what a client does not take at once,
/// and keeps idle connections. A client that is slow, silent or hostile costs memory here, never a thread. Thread: one
/// of its own; the public functions as they say.
class Gate {
public:
    using Clock = Connection::Clock;

    /// What becomes of connections that wait to be accepted when the gate drains.
    enum class Backlog {
        Serve, ///< they are accepted: the socket goes with this process
        Leave  ///< another process accepts from the same socket: a successor, or systemd's next start of the service
    };

    /// `listening`: a listening socket that does not block; stays the caller's. `refusals`, and `tls` unless it is
    /// null, must outlive the gate. Throws std::system_error.
    Gate(const GateSettings& settings, int listening, Refusals& refusals, TlsContext* tls = nullptr);
    /// After finish(), or when it was never started.
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    // Thread: one, the listener's.

    void start();
    /// No connection is accepted any more (the backlog first, as asked); every response closes its connection; one that
    /// is idle may bring a last request for the grace. Returns the connections that there are once accepting has ended,
    /// or `limit` has passed. Once.
    int drain(Backlog backlog, std::chrono::milliseconds grace, std::chrono::milliseconds limit);
    /// After drain(): waits until every connection has ended. False when `until` came first: what there is then is cut
    /// off. No worker gets a request afterwards, but handlers may run on.
    bool finish(Clock::time_point until);

    // Thread: any.

    /// Connections by Connection::Phase, as of a moment ago.
    std::array<int, Connection::PHASES> phases() const;
    /// Connections that were accepted and not closed yet.
    int open() const { return _open.load(std::memory_order_acquire); }
    bool isDraining() const { return _isDraining.load(std::memory_order_acquire); }
    const Poco::Net::SocketAddress& address() const { return _address; }
    WorkerQueue& queue() { return _queue; }
    const HeldLedger& ledger() const { return _ledger; }

    // Thread: a worker's that owns the connection, which it gives back by any of them.

    /// Sends the response, at once as far as the client takes it. Nothing when the rest goes out later: then what
    /// `completion` makes is told of the end.
    std::optional<SendResult> respond(Connection& connection, OutgoingResponse response,
                                      const std::function<std::unique_ptr<SendCompletion>()>& completion);
    /// Holds room for the body of up to `limit` bytes: in memory, else in a file, where a large one that is read in
    /// pieces anyway (`isStreamed`) belongs at once. False when there is none.
    bool makeRoomForBody(Connection& connection, std::uint64_t limit, bool isStreamed,
                         const HeldLedger::Holder& holder);
    /// Has the body collected, up to `limit`; the request is given to a worker again then.
    void collectBody(Connection& connection, std::uint64_t limit);
    /// Writes what was collected of a large body to its file; the gate goes on with the rest.
    void spillBody(Connection& connection);
    /// Goes on with a response whose source has to make more.
    void produce(Connection& connection);
    /// Closes it without a response.
    void abandon(Connection& connection);

private:
    enum class Step {
        Again, ///< go on with the next phase
        Wait,  ///< for the client
        Given  ///< it is somebody else's, or closed
    };

    /// What one connection may have received before others have their turn.
    static constexpr std::size_t RECEIVED_PER_TURN = std::size_t{64} << 10;
    static constexpr auto CHECK_INTERVAL = std::chrono::milliseconds(100);

    void run();
    int waitMilliseconds(Clock::time_point now) const;
    void accept();
    void add(int descriptor, const Poco::Net::SocketAddress& peer, std::optional<unsigned> localUser);
    void watchListening(bool on);
    Step readProxyHeader(Connection& connection);
    Step closeProxied(Connection& connection, std::string_view failure);
    bool countConnection(Connection& connection);
    Step refuseConnection(Connection& connection);
    bool countRequest(Connection& connection);
    void uncount(Connection& connection);

    void takeBack();
    void endPauses();
    Step pause(Connection& connection);
    Step yieldTurn(Connection& connection);
    void checkDeadlines();
    void expire(Connection& connection);
    void beginDrain();
    void endIdleness(Connection& connection, Clock::time_point until);
    void cutOff();
    void endAtOnce(Connection& connection);

    void advance(Connection& connection);
    Step shakeHands(Connection& connection);
    Step readHead(Connection& connection);
    Step beginBody(Connection& connection);
    Step readBody(Connection& connection);
    bool takeBody(Connection& connection, std::string_view bytes);
    Step haveBodySpilled(Connection& connection);
    Step bodyEnded(Connection& connection, Connection::BodyState state);
    Step giveToWorker(Connection& connection);
    Step send(Connection& connection);
    Step linger(Connection& connection);
    Step refuse(Connection& connection, const Rejection& rejection, bool closes);
    Step close(Connection& connection);

    bool makeRoomForResponse(Connection& connection, const HeldLedger::Holder& holder);
    void release(std::optional<Holding>& held);
    void setSendDeadline(Connection& connection);
    void setBodyDeadline(Connection& connection);
    /// After a response that was sent whole. True when the gate has to look at the connection.
    bool endResponse(Connection& connection);
    void closeTransport(Connection& connection);
    void giveBack(Connection& connection, bool isUrgent);
    void wake() const;

    const GateSettings _settings;
    const int _listening;
    const Poco::Net::SocketAddress _address;
    Refusals& _refusals;
    TlsContext* const _tls;
    WorkerQueue _queue;
    AddressCounts _addresses;
    HeldLedger _ledger;
    OwnedDescriptor _epoll;
    OwnedDescriptor _event;
    std::thread _thread;

    // The gate's thread's.
    std::vector<std::unique_ptr<Connection>> _connections;
    std::vector<std::unique_ptr<Connection>> _closed; ///< in this turn
    std::deque<Connection*> _unfinished;              ///< have another turn, the first one first
    std::deque<Connection*> _paused;                  ///< until Connection::pausedUntil, the first one first
    std::array<char, 65'536> _buffer{};
    Clock::time_point _now;
    Clock::time_point _nextCheck;
    bool _isListening = false;
    bool _hasBegunDrain = false;
    bool _hasShed = false; ///< in this turn

    std::atomic<int> _open{0};
    std::array<std::atomic<int>, Connection::PHASES> _phases{};
    std::atomic<bool> _isDraining{false};
    std::atomic<bool> _isCutOff{false};
    std::atomic<bool> _isEnding{false};
    Backlog _backlog = Backlog::Serve;
    std::chrono::milliseconds _grace{0};

    std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<Connection*> _returned; ///< by workers
    bool _acceptingEnded = false;
    bool _hasEnded = false; ///< the thread
};

} // namespace supplierd::host
