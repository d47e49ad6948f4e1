#include "tests/support/LoopbackOrigin.h"

#include <Poco/Net/ServerSocketImpl.h>
#include <Poco/Net/SocketAddress.h>

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace supplierd::tests {

using Poco::Net::SocketAddress;

void OriginSocket::shutdown(int direction) {
    const std::lock_guard lock(_mutex);
    if (_descriptor >= 0)
        ::shutdown(_descriptor, direction);
}

void OriginSocket::close() {
    const std::lock_guard lock(_mutex);
    if (_descriptor >= 0)
        ::close(_descriptor);
    _descriptor = -1;
}

std::string OriginConnection::target() const {
    const std::size_t begin = _head.find(' ') + 1;
    return _head.substr(begin, _head.find(' ', begin) - begin);
}

std::string OriginConnection::read(std::size_t size) {
    std::string body(size, '\0');
    for (std::size_t done = 0; done < size;) {
        const std::size_t count = receive(body.data() + done, size - done);
        if (count == 0)
            throw std::runtime_error("the client sent no whole body");
        done += count;
    }
    return body;
}

void OriginConnection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
        const auto count =
            _tls != nullptr ? ::SSL_write(_tls, bytes.data(), size)
                            : ::send(_socket.descriptor(), bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
        if (count <= 0)
            throw std::runtime_error("the client is gone");
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void OriginConnection::answer(std::string_view status, std::string_view body, std::string_view fields) {
    std::string text = "HTTP/1.1 ";
    text.append(status).append("\r\n").append(fields);
    send(text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    send(body);
}

void OriginConnection::redirect(std::string_view location, std::string_view status) {
    answer(status, {}, "Location: " + std::string(location) + "\r\n");
}

void OriginConnection::pause(std::chrono::milliseconds duration) {
    pollfd descriptor{_socket.descriptor(), POLLIN | POLLRDHUP, 0};
    if (::poll(&descriptor, 1, static_cast<int>(duration.count())) != 0)
        throw std::runtime_error("the client is gone");
}

void OriginConnection::holdOpen() {
    pause(std::chrono::milliseconds(-1));
}

void OriginConnection::reset() {
    const linger atOnce{1, 0};
    ::setsockopt(_socket.descriptor(), SOL_SOCKET, SO_LINGER, &atOnce, sizeof atOnce);
    _socket.close();
}

void OriginConnection::end() {
    _socket.shutdown(SHUT_RDWR);
}

void OriginConnection::next() {
    char byte = 0;
    _head.clear();
    while (!_head.ends_with("\r\n\r\n") && receive(&byte, 1) == 1)
        _head += byte;
    if (!_head.ends_with("\r\n\r\n"))
        throw std::runtime_error("the client sent no whole request");
    _onHead(_head);
}

std::size_t OriginConnection::receive(char* buffer, std::size_t size) {
    const auto count = _tls != nullptr ? ::SSL_read(_tls, buffer, static_cast<int>(size))
                                       : ::recv(_socket.descriptor(), buffer, size, 0);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

LoopbackOrigin::LoopbackOrigin(Script script)
    : _script(std::move(script)), _listener(SocketAddress("127.0.0.1", 0), 128), _acceptor([this] { accept(); }) {}

LoopbackOrigin::LoopbackOrigin(Script script, const Certificate& certificate)
    : _script(std::move(script)),
      _tls(::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free),
      _listener(SocketAddress("127.0.0.1", 0), 128) {
    if (::SSL_CTX_use_certificate_chain_file(_tls.get(), certificate.chain.c_str()) != 1 ||
        ::SSL_CTX_use_PrivateKey_file(_tls.get(), certificate.key.c_str(), SSL_FILETYPE_PEM) != 1)
        throw std::runtime_error("cannot read the certificate " + certificate.chain.string());
    _acceptor = std::thread([this] { accept(); });
}

LoopbackOrigin::~LoopbackOrigin() {
    {
        const std::lock_guard lock(_mutex);
        _isStopping = true;
        for (const auto& socket : _open)
            socket->shutdown(SHUT_RDWR);
    }
    ::shutdown(_listener.impl()->sockfd(), SHUT_RDWR);
    _acceptor.join();
    for (Served& one : _served)
        one.thread.join();
}

std::vector<std::string> LoopbackOrigin::requests() const {
    const std::lock_guard lock(_mutex);
    return _requests;
}

unsigned LoopbackOrigin::connections() const {
    const std::lock_guard lock(_mutex);
    return _connections;
}

std::vector<std::string> LoopbackOrigin::serverNames() const {
    const std::lock_guard lock(_mutex);
    return _serverNames;
}

void LoopbackOrigin::accept() {
    for (;;) {
        const int descriptor = ::accept4(_listener.impl()->sockfd(), nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (descriptor < 0)
            return; // the listener is shut down
        const auto socket = std::make_shared<OriginSocket>(descriptor);
        const std::lock_guard lock(_mutex);
        if (_isStopping)
            return;
        ++_connections;
        std::erase_if(_served, [&](Served& one) {
            const bool isOver = std::ranges::find(_open, one.socket) == _open.end();
            if (isOver)
                one.thread.join(); // until then it keeps its stack
            return isOver;
        });
        _open.push_back(socket);
        _served.push_back({socket, std::thread([this, socket] { serve(socket); })});
    }
}

void LoopbackOrigin::serve(const std::shared_ptr<OriginSocket>& socket) {
    std::unique_ptr<SSL, decltype(&::SSL_free)> tls(_tls ? ::SSL_new(_tls.get()) : nullptr, &::SSL_free);
    try {
        if (tls) {
            ::SSL_set_fd(tls.get(), socket->descriptor());
            const bool isSecure = ::SSL_accept(tls.get()) == 1;
            const char* name = ::SSL_get_servername(tls.get(), TLSEXT_NAMETYPE_host_name);
            const std::lock_guard lock(_mutex);
            _serverNames.emplace_back(name != nullptr ? name : "");
            if (!isSecure)
                throw std::runtime_error("no handshake");
        }
        OriginConnection connection(*socket, tls.get(), [this](const std::string& head) {
            const std::lock_guard lock(_mutex);
            _requests.push_back(head);
        });
        connection.next();
        _script(connection);
        if (tls)
            ::SSL_shutdown(tls.get());
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): a client that goes ends its script
    }
    socket->shutdown(SHUT_WR);
    const std::lock_guard lock(_mutex);
    std::erase(_open, socket);
}

} // namespace supplierd::tests
