#include "host/gate/Gate.h"
#include "host/gate/ProxyHeader.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

// Whom connections and requests are from, and how many each may have. Thread: the gate's.

namespace supplierd::host {

namespace {

constexpr int ACCEPTED_AT_ONCE = 64;
/// What one drain accepts of a backlog that fills as fast as it is emptied.
constexpr int LAST_ACCEPTED = 4096;

/// Who connected over a Unix socket; nothing for other sockets.
std::optional<unsigned> userAtOtherEnd(int descriptor, const sockaddr_storage& peer) {
    ucred credentials{};
    socklen_t length = sizeof(credentials);
    if (peer.ss_family != AF_UNIX || ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
        return std::nullopt;
    return credentials.uid;
}

} // namespace

void Gate::watchListening(bool on) {
    epoll_event wanted{EPOLLIN, {.ptr = nullptr}};
    if (::epoll_ctl(_epoll.get(), on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, _listening, &wanted) == 0)
        _isListening = on;
}

void Gate::accept() {
    for (int i = 0; i < (_hasBegunDrain ? LAST_ACCEPTED : ACCEPTED_AT_ONCE); ++i) {
        if (open() >= _settings.maxConnections) {
            watchListening(false); // until others close
            return;
        }
        sockaddr_storage storage{};
        auto* const peer = reinterpret_cast<sockaddr*>(&storage);
        socklen_t length = sizeof(storage);
        const int descriptor = ::accept4(_listening, peer, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor >= 0) {
            if (storage.ss_family == AF_UNIX)
                add(descriptor, {"127.0.0.1", Poco::UInt16(0)}, userAtOtherEnd(descriptor, storage));
            else
                add(descriptor, {peer, length}, std::nullopt);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno != EAGAIN) // no descriptor is free: until one is
            watchListening(false);
        return;
    }
}

void Gate::add(int descriptor, const Poco::Net::SocketAddress& peer, std::optional<unsigned> localUser) {
    std::unique_ptr<Transport> transport;
    try {
        transport = _tls ? _tls->accept(descriptor) : std::make_unique<PlainTransport>(descriptor);
    } catch (const std::runtime_error&) {
        return; // no memory for it
    }
    auto connection = std::make_unique<Connection>(std::move(transport), peer);
    connection->localUser = localUser;
    epoll_event wanted{EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.ptr = connection.get()}};
    if (::epoll_ctl(_epoll.get(), EPOLL_CTL_ADD, descriptor, &wanted) != 0)
        return;
    const bool isAnnounced = _settings.proxyProtocol && isTrustedProxy(peer.host(), _settings.trustedProxies);
    connection->phase = isAnnounced ? Connection::Phase::ProxyHeader : Connection::Phase::Handshake;
    connection->index = _connections.size();
    connection->setDeadline(_now + (_hasBegunDrain ? std::min(_grace, _settings.headTimeout) : _settings.headTimeout));
    if (_connections.empty())
        _nextCheck = _now + CHECK_INTERVAL;
    _open.fetch_add(1, std::memory_order_relaxed);
    auto& added = *_connections.emplace_back(std::move(connection));
    if (!isAnnounced && !countConnection(added))
        refuseConnection(added);
    added.wait(); // an event that has come meanwhile, as every new one has, is looked at after this
}

/// Of a trusted proxy. The header is looked at where it is until it is whole, and taken alone: what follows may be TLS.
Gate::Step Gate::readProxyHeader(Connection& connection) {
    const int descriptor = connection.transport->descriptor();
    ssize_t came = -1;
    do
        came = ::recv(descriptor, _buffer.data(), ProxyHeader::MAX_SIZE, MSG_PEEK);
    while (came < 0 && errno == EINTR);
    if (came < 0 && errno == EAGAIN)
        return Step::Wait;
    if (came <= 0)
        return close(connection); // it wanted to know whether somebody listens
    const auto header = ProxyHeader::parse({_buffer.data(), static_cast<std::size_t>(came)});
    if (header.state == ProxyHeader::State::Rejected)
        return closeProxied(connection, header.failure);
    if (header.state == ProxyHeader::State::Incomplete)
        return connection.isEnding ? closeProxied(connection, "cut_off") : Step::Wait;
    if (::recv(descriptor, _buffer.data(), header.length, 0) != static_cast<ssize_t>(header.length))
        return close(connection); // it is there: the connection broke this moment
    if (header.state == ProxyHeader::State::Proxied) {
        connection.peer = header.source;
        connection.isTlsAtProxy = header.isTls;
    }
    connection.phase = Connection::Phase::Handshake;
    return countConnection(connection) ? Step::Again : refuseConnection(connection);
}

Gate::Step Gate::closeProxied(Connection& connection, std::string_view failure) {
    _refusals.noteProxyFailure(connection.peer.host(), failure);
    return close(connection);
}

Gate::Step Gate::refuseConnection(Connection& connection) {
    return refuse(connection, {503, "connections_per_address", "Too many connections from this address"}, true);
}

/// Before anything of a request was read.
bool Gate::countConnection(Connection& connection) {
    connection.isProxied = isTrustedProxy(connection.peer.host(), _settings.trustedProxies);
    if (connection.isProxied)
        return true;
    const ClientNetwork client(connection.peer.host());
    if (!_addresses.take(client))
        return false;
    connection.counted = client;
    return true;
}

bool Gate::countRequest(Connection& connection) {
    ForwardedFields fields(_settings.forwardedHeader);
    for (const auto& field : connection.head().fields)
        fields.add(field.name, field.value);
    connection.client = ForwardedClient::find(connection.peer.host(), "http", fields, _settings.trustedProxies).address;
    const ClientNetwork client(*connection.client);
    if (isTrustedProxy(*connection.client, _settings.trustedProxies))
        return true; // it asks for itself
    if (!_addresses.take(client))
        return false;
    connection.counted = client;
    return true;
}

void Gate::uncount(Connection& connection) {
    if (const auto client = std::exchange(connection.counted, std::nullopt))
        _addresses.release(*client);
}

} // namespace supplierd::host
