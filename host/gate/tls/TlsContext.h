#pragma once

#include "host/gate/Transport.h"
#include "host/gate/tls/TlsCertificate.h"
#include "host/observe/TlsMetrics.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

using SSL_CTX = struct ssl_ctx_st;

namespace supplierd::host {

/// The certificate of a listener, and what is spoken with it: TLS 1.2 and 1.3, forward secrecy, ALPN http/1.1. A pair
/// of files that was renewed is taken up by itself within ten seconds. A pair is used only after a handshake with it
/// has succeeded within this process; of one that is broken the notice says why, and the last good one stays. Thread:
/// one, the gate's; what is said otherwise, any.
class TlsContext {
public:
    struct Files {
        std::filesystem::path certificate; ///< PEM, with the chain behind it
        std::filesystem::path key;         ///< PEM, without a passphrase
    };
    struct Intervals {
        std::chrono::milliseconds look{10'000}; ///< for renewed files
        /// Keys of session tickets are used for no longer: who stole one could read what was recorded (TLS 1.2).
        std::chrono::milliseconds ticketKeys{12 * 3'600'000};
    };
    /// What a change of the files led to: "" when it was taken up, else why not.
    using Notice = std::function<void(const std::string& failure)>;

    /// Throws std::runtime_error that names the file and says what is wrong with it.
    TlsContext(Files files, TlsMetrics& metrics, Notice notice);
    TlsContext(Files files, TlsMetrics& metrics, Notice notice, Intervals intervals);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    /// Takes a connection over. Throws std::runtime_error when there is no memory for it; it is closed then.
    std::unique_ptr<Transport> accept(int descriptor);

    /// Throws as the constructor does; nothing is kept. For checks of a configuration.
    static TlsCertificate check(const Files& files);

private:
    using Clock = std::chrono::steady_clock;
    using Context = std::shared_ptr<SSL_CTX>;
    /// What tells one state of the files from another.
    using Stamp = std::string;

    static Context load(const Files& files);
    static TlsCertificate certificateOf(const SSL_CTX& context);
    static Stamp stampOf(const Files& files);
    void use(Context context);
    void lookForNew(Clock::time_point now);
    void renewTicketKeys();

    const Files _files;
    TlsMetrics& _metrics;
    const Notice _notice;
    const Intervals _intervals;
    Context _context;
    Stamp _stamp;
    Clock::time_point _nextLook;
    Clock::time_point _nextTicketKeys;
};

} // namespace supplierd::host
