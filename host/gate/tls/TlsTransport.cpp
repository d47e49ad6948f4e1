#include "host/gate/tls/TlsTransport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace supplierd::host {

TlsTransport::TlsTransport(SSL_CTX& context, int descriptor, TlsMetrics& metrics)
    : _descriptor(descriptor), _ssl(SSL_new(&context)), _metrics(metrics) {
    if (!_ssl || SSL_set_fd(_ssl, descriptor) != 1) {
        SSL_free(_ssl);
        ::close(descriptor);
        ERR_clear_error();
        throw std::runtime_error("there is no memory for a TLS connection");
    }
    SSL_set_accept_state(_ssl);
}

TlsTransport::~TlsTransport() {
    if (!_isOpen && !_isBroken && SSL_in_before(_ssl) == 0) // it has begun
        _metrics.abandoned.Increment();
    else if (!_isBroken && SSL_get_shutdown(_ssl) == 0)
        SSL_shutdown(_ssl); // the last word, if there is room for it
    ERR_clear_error();
    SSL_free(_ssl);
    ::close(_descriptor);
}

Transfer TlsTransport::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(_ssl);
    if (result == 1) {
        _isOpen = true;
        (SSL_session_reused(_ssl) == 1 ? _metrics.resumed : _metrics.completed).Increment();
        return {Transfer::Status::Done};
    }
    const auto why = explain(result);
    if (why.status == Transfer::Status::Broken || why.status == Transfer::Status::Ended) {
        // A client that goes before it has said anything wrong.
        const bool hasGone = why.status == Transfer::Status::Ended || ERR_peek_error() == 0;
        (hasGone ? _metrics.abandoned : _metrics.failed).Increment();
        _isBroken = true;
        ERR_clear_error();
    }
    return why;
}

Transfer TlsTransport::receive(std::span<char> to) {
    if (_isBroken)
        return {Transfer::Status::Broken};
    ERR_clear_error();
    std::size_t got = 0;
    const int result = SSL_read_ex(_ssl, to.data(), to.size(), &got);
    if (result != 1)
        return explain(result);
    // It was one record: epoll does not tell again of those that came with it.
    int unread = 0;
    const bool hasMore = SSL_has_pending(_ssl) == 1 || (::ioctl(_descriptor, FIONREAD, &unread) == 0 && unread > 0);
    return {Transfer::Status::Done, got, hasMore};
}

Transfer TlsTransport::send(std::string_view bytes, bool) {
    if (_isBroken)
        return {Transfer::Status::Broken};
    if (bytes.empty())
        return {Transfer::Status::Done};
    ERR_clear_error();
    std::size_t taken = 0;
    const int result = SSL_write_ex(_ssl, bytes.data(), bytes.size(), &taken);
    return result == 1 ? Transfer{Transfer::Status::Done, taken} : explain(result);
}

void TlsTransport::finishSending() {
    if (_isOpen && !_isBroken) {
        ERR_clear_error();
        SSL_shutdown(_ssl); // when the client takes nothing now, it goes without the last word
        ERR_clear_error();
    }
    ::shutdown(_descriptor, SHUT_WR);
}

Transfer TlsTransport::explain(int result) {
    switch (SSL_get_error(_ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return {Transfer::Status::WantRead};
    case SSL_ERROR_WANT_WRITE:
        return {Transfer::Status::WantWrite};
    case SSL_ERROR_ZERO_RETURN:
        return {Transfer::Status::Ended};
    default:
        if (_isOpen)
            _isBroken = true;
        return {Transfer::Status::Broken};
    }
}

} // namespace supplierd::host
