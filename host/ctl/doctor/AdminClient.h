#pragma once

#include "host/config/Settings.h"
#include "host/ctl/client/ServerConnection.h"
#include "host/server/process/RunningServer.h"

#include <Poco/Net/SocketAddress.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace supplierd::host {

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

    bool runs() const { return state == State::Ready || state == State::NotReady || state == State::Silent; }

    State state = State::Stopped;
    std::string reason;
    Poco::Net::SocketAddress admin;       ///< where it was asked
    std::optional<RunningServer> running; ///< not of a release before 0.2, which does not tell
    ResponseJson load;                    ///< what that one has done and has at hand: requests, pool, redis, nodes
    std::int64_t stoppedPid = 0;          ///< of a silent one: its process stands still (SIGSTOP, a debugger)
};

/// Asks where the configuration says, then where server.address_file does: a server whose configuration was changed
/// still listens at its former address.
ServerSighting findServer(const Settings& settings);

/// The user whose rights decide what the server can read and write.
struct ServerUser {
    uid_t user;
    gid_t group;
    std::string name;

    /// The one that the running server has; else, for the installed configuration, the account of its service; else
    /// the one who asks.
    static ServerUser find(const Settings& settings, const ServerSighting& seen);

    /// access(2) as this user, with the groups that it is in. Only root can ask about somebody else; anybody else is
    /// told what holds for himself. `mode`: R_OK, W_OK, X_OK. Call it while this process has one thread. Throws
    /// std::system_error when there can be no process.
    bool may(const std::filesystem::path& file, int mode) const;
};

} // namespace supplierd::host
