#pragma once

#include "host/gate/tls/TlsContext.h"

using SSL = struct ssl_st;

namespace supplierd::host {

/// TLS over TCP, by OpenSSL.
class TlsTransport final : public Transport {
public:
    /// Takes the descriptor over, which does not block. Throws std::runtime_error, and closes it.
    TlsTransport(SSL_CTX& context, int descriptor, TlsMetrics& metrics);
    ~TlsTransport() override;
    TlsTransport(const TlsTransport&) = delete;
    TlsTransport& operator=(const TlsTransport&) = delete;

    int descriptor() const override { return _descriptor; }
    Transfer handshake() override;
    Transfer receive(std::span<char> to) override;
    Transfer send(std::string_view bytes, bool more) override;
    /// Files are read, and encrypted here.
    std::optional<Transfer> sendFile(int, std::uint64_t, std::size_t) override { return std::nullopt; }
    void finishSending() override;
    bool isSecure() const override { return true; }

private:
    /// What an unsuccessful call of OpenSSL means.
    Transfer explain(int result);

    const int _descriptor;
    SSL* const _ssl;
    TlsMetrics& _metrics;
    bool _isOpen = false;   ///< the handshake is done
    bool _isBroken = false; ///< nothing more may be called on it
};

} // namespace supplierd::host
