#include "host/config/ServerAccount.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace supplierd::host {

std::optional<ServerAccount> ServerAccount::find() {
    const passwd* const entry = ::getpwnam(NAME);
    return entry ? std::optional(ServerAccount{entry->pw_uid, entry->pw_gid}) : std::nullopt;
}

void ServerAccount::become() const {
    if (::initgroups(NAME, group) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0)
        throw std::system_error(errno, std::generic_category(), std::string("becoming the user ") + NAME);
}

std::optional<std::string> commandsToLetTheServerRead(const std::filesystem::path& file) {
    if (!ServerAccount::find())
        return std::nullopt;
    const auto name = file.string();
    return std::string("chgrp ") + ServerAccount::NAME + " " + name + " && chmod 640 " + name;
}

} // namespace supplierd::host
