#pragma once

#include <Poco/Net/ServerSocket.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace supplierd::host {

/// How a listener comes to its end without losing a request; its sockets share it. From begin() on no connection is
/// accepted; one that waits for its next request is still served for the grace, so that a client which has just sent
/// one gets its answer (with `Connection: close`), and is closed after it. Thread: any.
class ConnectionDrain {
public:
    using Clock = std::chrono::steady_clock;

    /// What becomes of connections that wait to be accepted.
    enum class Backlog {
        Serve, ///< they are accepted: the socket goes with this process
        Leave  ///< another process accepts from the same socket: a successor, or systemd's next start of the service
    };

    /// Throws std::system_error.
    ConnectionDrain();
    ~ConnectionDrain();
    ConnectionDrain(const ConnectionDrain&) = delete;
    ConnectionDrain& operator=(const ConnectionDrain&) = delete;

    /// Once.
    void begin(Backlog backlog, std::chrono::milliseconds grace);
    bool hasBegun() const { return _begun.load(std::memory_order_acquire); }
    /// Readable once begun, for poll().
    int descriptor() const { return _event; }
    Backlog backlog() const { return _backlog; }
    /// Until when a connection that began to wait then may bring a request. Once begun.
    Clock::time_point graceEnd(Clock::time_point waitsSince) const;

    /// Of the accepting thread: it has seen begin() and hands out no further connection.
    void acceptingEnded();
    /// False when the time was over first.
    bool waitUntilAcceptingEnded(std::chrono::milliseconds limit);

    void opened() { _open.fetch_add(1, std::memory_order_relaxed); }
    void closed() { _open.fetch_sub(1, std::memory_order_release); }
    /// Connections that were accepted and not closed yet, those that wait for a thread included.
    int open() const { return _open.load(std::memory_order_acquire); }

private:
    int _event;
    Backlog _backlog = Backlog::Serve;
    std::chrono::milliseconds _grace{0};
    Clock::time_point _begunAt;
    std::atomic<bool> _begun{false};
    std::atomic<int> _open{0};
    std::mutex _mutex;
    std::condition_variable _ended;
    bool _acceptingEnded = false;
};

/// A listening socket whose connections cost fewer system calls than Poco's: they wait with one poll() where Poco makes
/// and closes an epoll instance each time, and know their two addresses after the first question. Both, the socket and
/// its connections, follow the drain.
class ApiServerSocket : public Poco::Net::ServerSocket {
public:
    explicit ApiServerSocket(std::shared_ptr<ConnectionDrain> drain);
    /// Takes a socket over that listens already, and closes it at its end.
    ApiServerSocket(std::shared_ptr<ConnectionDrain> drain, int listening);

    /// Binds and listens, alone on its address.
    void listenAlone(const Poco::Net::SocketAddress& address, int backlog);
    int descriptor() const { return impl()->sockfd(); }
};

} // namespace supplierd::host
