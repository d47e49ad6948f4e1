#include "TlsStream.h"

#include "FetchError.h"
#include "TlsContext.h"

#include <Poco/Exception.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace supplierd::media {

namespace {

constexpr std::size_t CHUNK = 16 * 1024;

FetchError tlsError(const std::string& text) {
    return {FetchErrorCode::Tls, text};
}

FetchError handshakeError(const SSL* ssl) {
    if (const long result = ::SSL_get_verify_result(ssl); result != X509_V_OK)
        return tlsError(std::string("the certificate is not accepted: ") + ::X509_verify_cert_error_string(result));
    return tlsError("no secure connection can be agreed on");
}

} // namespace

void TlsStream::Free::operator()(ssl_st* ssl) const {
    ::SSL_free(ssl);
}

TlsStream::TlsStream(std::unique_ptr<ByteStream> stream, const TlsContext& context, const UrlHost& host,
                     const TimeLimit& limit)
    : _stream(std::move(stream)),
      _ssl(::SSL_new(context.get())),
      _incoming(::BIO_new(::BIO_s_mem())),
      _outgoing(::BIO_new(::BIO_s_mem())) {
    if (!_ssl || _incoming == nullptr || _outgoing == nullptr) {
        ::BIO_free(_incoming);
        ::BIO_free(_outgoing);
        throw Poco::OutOfMemoryException("no memory for a TLS connection");
    }
    ::SSL_set_bio(_ssl.get(), _incoming, _outgoing);
    ::SSL_set_connect_state(_ssl.get());
    expect(host);
    shakeHands(limit);
}

TlsStream::~TlsStream() = default;

void TlsStream::expect(const UrlHost& host) {
    X509_VERIFY_PARAM* parameters = ::SSL_get0_param(_ssl.get());
    ::X509_VERIFY_PARAM_set_hostflags(parameters,
                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const std::string& name = host.text();
    // An address has no SNI (RFC 6066, 3).
    const bool isSet = host.address() ? ::X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) == 1
                                      : ::X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size()) == 1 &&
                                            ::SSL_set_tlsext_host_name(_ssl.get(), name.c_str()) == 1;
    if (!isSet)
        throw tlsError("no secure connection can be made to such a host");
}

void TlsStream::shakeHands(const TimeLimit& limit) {
    for (;;) {
        ::ERR_clear_error();
        const int result = ::SSL_do_handshake(_ssl.get());
        if (result != 1 && ::SSL_get_error(_ssl.get(), result) != SSL_ERROR_WANT_READ)
            throw handshakeError(_ssl.get());
        flush(limit);
        if (result == 1)
            return;
        if (!fill(limit))
            throw tlsError("the image's server ended the connection before it was secure");
    }
}

std::size_t TlsStream::read(std::span<char> buffer, const TimeLimit& limit) {
    for (;;) {
        ::ERR_clear_error();
        std::size_t count = 0;
        const int result = ::SSL_read_ex(_ssl.get(), buffer.data(), buffer.size(), &count);
        if (result == 1)
            return count;
        switch (::SSL_get_error(_ssl.get(), result)) {
        case SSL_ERROR_ZERO_RETURN:
            return 0;
        case SSL_ERROR_WANT_READ:
            break;
        default:
            throw tlsError("the secure connection broke");
        }
        flush(limit);
        if (!fill(limit))
            throw FetchError(FetchErrorCode::Damaged, "the image ended early");
    }
}

void TlsStream::write(std::string_view bytes, const TimeLimit& limit) {
    while (!bytes.empty()) {
        ::ERR_clear_error();
        std::size_t count = 0;
        const int result = ::SSL_write_ex(_ssl.get(), bytes.data(), bytes.size(), &count);
        if (result != 1 && ::SSL_get_error(_ssl.get(), result) != SSL_ERROR_WANT_READ)
            throw tlsError("the secure connection broke");
        flush(limit);
        if (result == 1)
            bytes.remove_prefix(count);
        else if (!fill(limit))
            throw tlsError("the secure connection broke");
    }
}

void TlsStream::flush(const TimeLimit& limit) {
    std::array<char, CHUNK> buffer; // NOLINT(*-member-init): written before it is read
    for (;;) {
        const int count = ::BIO_read(_outgoing, buffer.data(), static_cast<int>(buffer.size()));
        if (count <= 0)
            return;
        _stream->write({buffer.data(), static_cast<std::size_t>(count)}, limit);
    }
}

bool TlsStream::fill(const TimeLimit& limit) {
    std::array<char, CHUNK> buffer; // NOLINT(*-member-init): written before it is read
    const std::size_t count = _stream->read(buffer, limit);
    if (count > 0)
        ::BIO_write(_incoming, buffer.data(), static_cast<int>(count));
    return count > 0;
}

} // namespace supplierd::media
