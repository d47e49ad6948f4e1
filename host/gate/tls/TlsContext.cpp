#include "host/gate/tls/TlsContext.h"

#include "host/gate/tls/TlsTransport.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

// Of TLS 1.2; all ciphers of TLS 1.3 are good.
constexpr const char* CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* GROUPS = "X25519:P-256:P-384";
constexpr std::string_view PROTOCOL = "http/1.1";

std::string lastReason() {
    const auto code = ERR_peek_last_error();
    ERR_clear_error();
    const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason ? reason : "unknown reason";
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
    throw std::runtime_error(file.string() + " " + what + ": " + lastReason());
}

/// A client that speaks none of ours is refused; one that does not ask gets HTTP/1.1.
int selectProtocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                   unsigned size, void*) {
    for (unsigned at = 0; at < size; at += 1U + offered[at]) {
        const std::string_view name(reinterpret_cast<const char*>(offered) + at + 1, offered[at]);
        if (name != PROTOCOL)
            continue;
        *chosen = offered + at + 1;
        *length = offered[at];
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// A passphrase would be asked for on the terminal.
int noPassphrase(char*, int, int, void*) {
    return 0;
}

/// Whether a client that believes every certificate can connect: what a pair lacks often shows only then.
void requireHandshake(SSL_CTX* server, const TlsContext::Files& files) {
    using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> client(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    const Connection here(SSL_new(server), SSL_free);
    const Connection there(client ? SSL_new(client.get()) : nullptr, SSL_free);
    BIO* hereEnd = nullptr;
    BIO* thereEnd = nullptr;
    if (!here || !there || BIO_new_bio_pair(&hereEnd, 0, &thereEnd, 0) != 1)
        throw std::runtime_error("TLS cannot be set up: " + lastReason());
    SSL_set_bio(here.get(), hereEnd, hereEnd);
    SSL_set_bio(there.get(), thereEnd, thereEnd);
    SSL_set_accept_state(here.get());
    SSL_set_connect_state(there.get());
    constexpr int ROUNDS = 10; // two are enough
    for (int i = 0; i < ROUNDS; ++i)
        for (SSL* const end : {there.get(), here.get()}) {
            const int result = SSL_do_handshake(end);
            if (result != 1 && SSL_get_error(end, result) != SSL_ERROR_WANT_READ)
                throw std::runtime_error("no client can connect with " + files.certificate.string() + " and " +
                                         files.key.string() + ": " + lastReason());
        }
}

} // namespace

TlsContext::TlsContext(Files files, TlsMetrics& metrics, Notice notice)
    : TlsContext(std::move(files), metrics, std::move(notice), Intervals()) {}

TlsContext::TlsContext(Files files, TlsMetrics& metrics, Notice notice, Intervals intervals)
    : _files(std::move(files)), _metrics(metrics), _notice(std::move(notice)), _intervals(intervals) {
    _stamp = stampOf(_files);
    use(load(_files));
    _nextLook = Clock::now() + _intervals.look;
    _nextTicketKeys = Clock::now() + _intervals.ticketKeys;
}

TlsContext::~TlsContext() = default;

std::unique_ptr<Transport> TlsContext::accept(int descriptor) {
    const auto now = Clock::now();
    if (now >= _nextLook)
        lookForNew(now);
    if (now >= _nextTicketKeys) {
        renewTicketKeys();
        _nextTicketKeys = now + _intervals.ticketKeys;
    }
    return std::make_unique<TlsTransport>(*_context, descriptor, _metrics);
}

TlsCertificate TlsContext::check(const Files& files) {
    return certificateOf(*load(files));
}

/// The one of the key that was loaded last.
TlsCertificate TlsContext::certificateOf(const SSL_CTX& context) {
    return TlsCertificate::of(*SSL_CTX_get0_certificate(&context));
}

TlsContext::Context TlsContext::load(const Files& files) {
    ERR_clear_error();
    Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!context)
        throw std::runtime_error("TLS cannot be set up: " + lastReason());
    SSL_CTX* const raw = context.get();
    SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION |
                                 SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_mode(raw,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_default_passwd_cb(raw, noPassphrase);
    SSL_CTX_set_alpn_select_cb(raw, selectProtocol, nullptr);
    constexpr std::array<unsigned char, 9> ours{'s', 'u', 'p', 'p', 'l', 'i', 'e', 'r', 'd'};
    if (SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION) != 1 || SSL_CTX_set_cipher_list(raw, CIPHERS) != 1 ||
        SSL_CTX_set1_groups_list(raw, GROUPS) != 1 ||
        SSL_CTX_set_session_id_context(raw, ours.data(), static_cast<unsigned>(ours.size())) != 1)
        throw std::runtime_error("TLS cannot be set up: " + lastReason());
    if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1)
        fail(files.certificate, "has no certificate that can be used");
    if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
        fail(files.key, "has no private key that can be used with " + files.certificate.string());
    if (SSL_CTX_check_private_key(raw) != 1) // it may be the first of a second pair, of another kind
        fail(files.key, "is not the key of " + files.certificate.string());
    requireHandshake(raw, files);
    return context;
}

/// Of the files themselves where these are symbolic links, as those of certbot.
TlsContext::Stamp TlsContext::stampOf(const Files& files) {
    Stamp stamp;
    for (const auto& file : {files.certificate, files.key}) {
        struct stat found {};
        if (::stat(file.c_str(), &found) == 0)
            for (const auto part :
                 {static_cast<std::int64_t>(found.st_ino), static_cast<std::int64_t>(found.st_size),
                  static_cast<std::int64_t>(found.st_mtim.tv_sec), static_cast<std::int64_t>(found.st_mtim.tv_nsec)})
                stamp.append(std::to_string(part)).append(" ");
        stamp += "/";
    }
    return stamp;
}

void TlsContext::use(Context context) {
    _metrics.certificateExpiry.Set(static_cast<double>(certificateOf(*context).expiresAt));
    _context = std::move(context);
}

/// OpenSSL keeps those of a context for as long as that lives. Sessions of the old ones begin with a whole handshake.
void TlsContext::renewTicketKeys() {
    std::array<unsigned char, 256> keys{};
    const auto size = SSL_CTX_get_tlsext_ticket_keys(_context.get(), nullptr, 0);
    if (size > 0 && size <= static_cast<long>(keys.size()) && RAND_bytes(keys.data(), static_cast<int>(size)) == 1)
        SSL_CTX_set_tlsext_ticket_keys(_context.get(), keys.data(), size);
    OPENSSL_cleanse(keys.data(), keys.size());
    ERR_clear_error();
}

/// What is half written is looked at again when the rest is there. Connections that there are keep what they have.
void TlsContext::lookForNew(Clock::time_point now) {
    _nextLook = now + _intervals.look;
    auto stamp = stampOf(_files);
    if (stamp == _stamp)
        return;
    _stamp = std::move(stamp);
    std::string failure;
    try {
        use(load(_files));
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    if (_notice)
        _notice(failure);
}

} // namespace supplierd::host
