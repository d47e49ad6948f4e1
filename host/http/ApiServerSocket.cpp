#include "host/http/ApiServerSocket.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocketImpl.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace supplierd::host {

ConnectionDrain::ConnectionDrain() : _event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (_event < 0)
        throw std::system_error(errno, std::generic_category(), "eventfd");
}

ConnectionDrain::~ConnectionDrain() {
    ::close(_event);
}

void ConnectionDrain::begin(Backlog backlog, std::chrono::milliseconds grace) {
    _backlog = backlog;
    _grace = grace;
    _begunAt = Clock::now();
    _begun.store(true, std::memory_order_release);
    ::eventfd_write(_event, 1); // fails only at a counter of 2^64
}

ConnectionDrain::Clock::time_point ConnectionDrain::graceEnd(Clock::time_point waitsSince) const {
    return std::max(waitsSince, _begunAt) + _grace;
}

void ConnectionDrain::acceptingEnded() {
    {
        const std::lock_guard lock(_mutex);
        _acceptingEnded = true;
    }
    _ended.notify_all();
}

bool ConnectionDrain::waitUntilAcceptingEnded(std::chrono::milliseconds limit) {
    std::unique_lock lock(_mutex);
    return _ended.wait_for(lock, limit, [this] { return _acceptingEnded; });
}

namespace {

using Clock = std::chrono::steady_clock;

/// What one drain accepts of a backlog that fills as fast as it is emptied.
constexpr int LAST_ACCEPTED = 4096;
constexpr auto PARKED = std::chrono::milliseconds(5);

int millisecondsUntil(Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

Clock::time_point endOf(const Poco::Timespan& timeout) {
    return Clock::now() + std::chrono::microseconds(timeout.totalMicroseconds());
}

/// Thread: the connection's, but for shutdown() and close() as in Poco.
class AcceptedSocketImpl final : public Poco::Net::StreamSocketImpl {
public:
    AcceptedSocketImpl(poco_socket_t descriptor, std::shared_ptr<ConnectionDrain> drain)
        : StreamSocketImpl(descriptor), _drain(std::move(drain)) {
        _drain->opened();
    }

    /// Poco waits for readability only where the next request is awaited: that is what the drain's grace ends.
    bool poll(const Poco::Timespan& timeout, int mode) override {
        const bool awaitsRequest = (mode & SELECT_READ) != 0;
        short events = 0;
        if (awaitsRequest)
            events |= POLLIN;
        if ((mode & SELECT_WRITE) != 0)
            events |= POLLOUT;
        const auto start = Clock::now();
        auto until = endOf(timeout);
        while (true) {
            const bool isDraining = _drain->hasBegun();
            if (isDraining && awaitsRequest)
                until = std::min(until, _drain->graceEnd(start));
            std::array<pollfd, 2> waited{{{sockfd(), events, 0}, {_drain->descriptor(), POLLIN, 0}}};
            const int ready = ::poll(waited.data(), isDraining ? 1 : 2, millisecondsUntil(until));
            if (ready < 0 && errno != EINTR)
                error(errno, "poll");
            if (ready > 0 && waited[0].revents != 0)
                return true;
            if (ready == 0)
                return false;
        }
    }

    Poco::Net::SocketAddress address() override {
        if (!_address)
            _address = StreamSocketImpl::address();
        return *_address;
    }

    Poco::Net::SocketAddress peerAddress() override {
        if (!_peer)
            _peer = StreamSocketImpl::peerAddress();
        return *_peer;
    }

protected:
    ~AcceptedSocketImpl() override {
        StreamSocketImpl::close();
        _drain->closed();
    }

private:
    std::shared_ptr<ConnectionDrain> _drain;
    std::optional<Poco::Net::SocketAddress> _address;
    std::optional<Poco::Net::SocketAddress> _peer;
};

/// Thread: the accepting one's.
class AcceptingSocketImpl final : public Poco::Net::ServerSocketImpl {
public:
    explicit AcceptingSocketImpl(std::shared_ptr<ConnectionDrain> drain) : _drain(std::move(drain)) {}
    AcceptingSocketImpl(std::shared_ptr<ConnectionDrain> drain, int listening) : _drain(std::move(drain)) {
        reset(listening);
    }

    bool poll(const Poco::Timespan& timeout, int) override {
        if (!_drain->hasBegun()) {
            std::array<pollfd, 2> waited{{{sockfd(), POLLIN, 0}, {_drain->descriptor(), POLLIN, 0}}};
            const int ready = ::poll(waited.data(), waited.size(), millisecondsUntil(endOf(timeout)));
            if (!_drain->hasBegun())
                return ready > 0 && waited[0].revents != 0;
        }
        if (_drain->backlog() == ConnectionDrain::Backlog::Serve && !_ended && _lastOnes++ < LAST_ACCEPTED && pending())
            return true;
        _ended = true;
        _drain->acceptingEnded();
        std::this_thread::sleep_for(PARKED); // Poco's loop asks again until the server is stopped
        return false;
    }

    Poco::Net::SocketImpl* acceptConnection(Poco::Net::SocketAddress& clientAddress) override {
        sockaddr_storage storage{};
        auto* const peer = reinterpret_cast<sockaddr*>(&storage);
        socklen_t length = sizeof(storage);
        int descriptor = -1;
        do
            descriptor = ::accept4(sockfd(), peer, &length, SOCK_CLOEXEC);
        while (descriptor < 0 && errno == EINTR);
        if (descriptor < 0)
            error(errno, "accept");
        clientAddress = Poco::Net::SocketAddress(peer, length);
        return new AcceptedSocketImpl(descriptor, _drain); // Poco counts its references
    }

protected:
    ~AcceptingSocketImpl() override = default;

private:
    bool pending() const {
        pollfd waited{sockfd(), POLLIN, 0};
        return ::poll(&waited, 1, 0) > 0 && waited.revents != 0;
    }

    std::shared_ptr<ConnectionDrain> _drain;
    int _lastOnes = 0;
    bool _ended = false;
};

/// Another process may take the connection between poll() and accept(), which must not wait for the next one then.
void doNotWait(int listening) {
    ::fcntl(listening, F_SETFL, ::fcntl(listening, F_GETFL) | O_NONBLOCK);
}

} // namespace

ApiServerSocket::ApiServerSocket(std::shared_ptr<ConnectionDrain> drain)
    : ServerSocket(new AcceptingSocketImpl(std::move(drain)), true) {}

ApiServerSocket::ApiServerSocket(std::shared_ptr<ConnectionDrain> drain, int listening)
    : ServerSocket(new AcceptingSocketImpl(std::move(drain), listening), true) {
    doNotWait(listening);
}

void ApiServerSocket::listenAlone(const Poco::Net::SocketAddress& address, int backlog) {
    // Without the port's reuse, which Poco turns on by default: a second server must fail, not share the requests.
    bind(address, true, false);
    listen(backlog);
    doNotWait(descriptor());
}

} // namespace supplierd::host
