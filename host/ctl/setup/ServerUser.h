#pragma once

#include "host/ctl/doctor/AdminClient.h"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace supplierd::host {

/// The user whose rights decide what the server can read and write.
struct ServerUser {
    uid_t user;
    gid_t group;
    std::string name;

    /// The one that the running server has; else, for the installed configuration, the account of its service; else
    /// the one who asks.
    static ServerUser find(const Settings& settings, const ServerSighting& seen);

    /// access(2) as this user, with the groups that it is in. Only root can ask about somebody else; anybody else is
    /// told what holds for himself. `mode`: R_OK, W_OK, X_OK. Throws std::system_error when there can be no process.
    bool may(const std::filesystem::path& file, int mode) const;
};

} // namespace supplierd::host
