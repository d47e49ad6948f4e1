#include "host/http/AcceptedSocket.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocketImpl.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>

namespace supplierd::host {

namespace {

using Clock = std::chrono::steady_clock;

/// Thread: the connection's, but for shutdown() and close() as in Poco.
class AcceptedSocketImpl final : public Poco::Net::StreamSocketImpl {
public:
    explicit AcceptedSocketImpl(poco_socket_t descriptor) : StreamSocketImpl(descriptor) {}

    bool poll(const Poco::Timespan& timeout, int mode) override {
        pollfd waited{sockfd(), 0, 0};
        if ((mode & SELECT_READ) != 0)
            waited.events |= POLLIN;
        if ((mode & SELECT_WRITE) != 0)
            waited.events |= POLLOUT;
        const auto until = Clock::now() + std::chrono::microseconds(timeout.totalMicroseconds());
        while (true) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
            const auto limit = std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max());
            const int ready = ::poll(&waited, 1, static_cast<int>(limit));
            if (ready >= 0)
                return ready > 0;
            if (errno != EINTR)
                error(errno, "poll");
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
    ~AcceptedSocketImpl() override = default;

private:
    std::optional<Poco::Net::SocketAddress> _address;
    std::optional<Poco::Net::SocketAddress> _peer;
};

class AcceptingSocketImpl final : public Poco::Net::ServerSocketImpl {
public:
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
        return new AcceptedSocketImpl(descriptor); // Poco counts its references
    }

protected:
    ~AcceptingSocketImpl() override = default;
};

} // namespace

ApiServerSocket::ApiServerSocket() : ServerSocket(new AcceptingSocketImpl, true) {}

} // namespace supplierd::host
