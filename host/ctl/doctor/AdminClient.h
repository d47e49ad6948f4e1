#pragma once

#include "host/config/Settings.h"
#include "host/gate/tls/TlsCertificate.h"
#include "host/server/RunningServer.h"

#include <Poco/Net/SocketAddress.h>

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::host {

struct HttpAnswer {
    int status = 0; ///< 0: there was none, and `body` says why
    std::string body;
    std::optional<TlsCertificate> certificate; ///< that was shown; who vouches for it was not asked
};

/// How a listener wants to be spoken to.
struct ListenerProtocol {
    bool isTls = false;
    bool hasProxyHeader = false; ///< this machine is one of server.trusted_proxies
};

/// GET, waiting 5 s at most for each part. A listener on every address is asked on the loopback. Nothing when nobody
/// listens there. Thread: any.
std::optional<HttpAnswer> askHttp(const Poco::Net::SocketAddress& address, const std::string& path,
                                  const ListenerProtocol& protocol = {});

/// How the API's listener of this configuration wants to be spoken to from here.
ListenerProtocol protocolOf(const ServerSettings& settings);

/// The server of a configuration, as its admin listener and its files tell of it.
struct ServerSighting {
    enum class State {
        Stopped,  ///< nobody listens, and no file says that it should
        Gone,     ///< its files are there, its process is not: it was killed, or its machine was
        Silent,   ///< its process is there, but does not answer
        Foreign,  ///< something else answers there
        NotReady, ///< `reason` says why
        Ready
    };

    State state = State::Stopped;
    std::string reason;
    Poco::Net::SocketAddress admin;       ///< where it was asked
    std::optional<RunningServer> running; ///< not of a release before 0.2, which does not tell
    std::int64_t stoppedPid = 0;          ///< of a silent one: its process stands still (SIGSTOP, a debugger)
};

/// Asks where the configuration says, then where server.address_file does: a server whose configuration was changed
/// still listens at its former address.
ServerSighting findServer(const Settings& settings);

} // namespace supplierd::host
