#pragma once

#include "ByteStream.h"
#include "UrlHost.h"

#include <memory>

struct ssl_st;
struct bio_st;

namespace supplierd::media {

class TlsContext;

/// A connection within TLS. OpenSSL is used directly and without a socket of its own, because Poco::Net's
/// SecureStreamSocket blocks in the handshake without an overall limit, looks names up again to compare them with a
/// certificate, knows no addresses in certificates, and hides a connection that was cut.
class TlsStream : public ByteStream {
public:
    /// Shakes hands with `host` over `stream`. The certificate must lead to a trusted one and name the host.
    /// Throws FetchError (Tls and those of ByteStream).
    TlsStream(std::unique_ptr<ByteStream> stream, const TlsContext& context, const UrlHost& host,
              const TimeLimit& limit);
    ~TlsStream() override;

    /// An end without TLS's own good-bye is an error (Damaged): somebody may have cut it.
    std::size_t read(std::span<char> buffer, const TimeLimit& limit) override;
    void write(std::string_view bytes, const TimeLimit& limit) override;

private:
    struct Free {
        void operator()(ssl_st* ssl) const;
    };

    void expect(const UrlHost& host);
    void shakeHands(const TimeLimit& limit);
    /// Hands over what OpenSSL has for the peer.
    void flush(const TimeLimit& limit);
    /// Gets more from the peer; false at its end.
    bool fill(const TimeLimit& limit);

    std::unique_ptr<ByteStream> _stream;
    std::unique_ptr<ssl_st, Free> _ssl;
    bio_st* _incoming; ///< owned by _ssl
    bio_st* _outgoing; ///< owned by _ssl
};

} // namespace supplierd::media
