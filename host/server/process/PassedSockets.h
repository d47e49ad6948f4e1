#pragma once

#include "host/config/Settings.h"

#include <string>
#include <vector>

namespace supplierd::host {

/// Listening sockets that were opened before this process: by systemd's socket unit, or by the server that this one
/// takes over from. The protocol is systemd's (LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES). Thread: main's, before others.
class PassedSockets {
public:
    /// Descriptors by their use; -1: none was passed.
    struct Uses {
        int api = -1;
        int admin = -1;
    };

    /// None.
    PassedSockets() = default;
    /// Takes them out of the environment, so that no program started from here takes them for its own. Throws
    /// std::runtime_error when the variables are wrong.
    static PassedSockets fromEnvironment();

    /// The same sockets by descriptors of their own, for a server that may have to be made a second time.
    PassedSockets duplicate() const;

    /// By name, `api` and `admin`; a socket of another name by its address. Throws std::runtime_error that says what to
    /// do when a socket is for nothing here, is no listening TCP socket, or is one of two for the same use.
    Uses uses(const ServerSettings& settings) const;

private:
    struct Passed {
        int descriptor = -1;
        std::string name;
    };

    std::vector<Passed> _sockets;
};

} // namespace supplierd::host
