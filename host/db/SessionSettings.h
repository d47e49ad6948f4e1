#pragma once

#include <chrono>
#include <string>

namespace supplierd::host {

enum class TlsMode {
    Off,
    Preferred, ///< encrypted when the server offers it
    Required,  ///< encrypted or not at all; the certificate is not checked
    Verify     ///< encrypted, certificate and host name checked (against `tlsCa`, or the system's authorities)
};

/// How to reach the database, and what every session of ours is set to. A value; holds the password, so never print it.
struct SessionSettings {
    std::string host = "127.0.0.1";
    unsigned port = 3306;
    std::string socket; ///< a Unix socket; when given, host and port are not used
    std::string user;
    std::string password;
    std::string database;
    TlsMode tls = TlsMode::Off;
    std::string tlsCa;
    /// Rounded up to whole seconds, as the protocol library counts them; 0 is no limit.
    std::chrono::milliseconds connectTimeout{5'000};
    /// A server that says nothing for so long counts as lost (error 2013). Should exceed statementTimeLimit.
    std::chrono::milliseconds readTimeout{30'000};
    std::chrono::milliseconds writeTimeout{30'000};
    /// The server itself ends a statement after this (error 1969, MySQL: 3024, reads only); 0 is no limit.
    std::chrono::milliseconds statementTimeLimit{10'000};
    /// How long a statement waits for a row lock before error 1205; whole seconds, at least one.
    std::chrono::milliseconds lockWaitTimeout{5'000};
};

} // namespace supplierd::host
