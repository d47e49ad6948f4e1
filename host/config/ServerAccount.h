#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace supplierd::host {

/// The account `supplierd`, which the packages make and the server runs as. Thread: one. Since 0.1.
struct ServerAccount {
    static constexpr const char* NAME = "supplierd";

    uid_t user = 0;
    gid_t group = 0;

    /// Empty where there is none: a server without packages may run as anybody.
    static std::optional<ServerAccount> find();
    /// From now on this process has its rights and no others. Only root can do that. Throws std::system_error.
    void become() const;
};

/// The commands with which root lets the server, and nobody else, read a file. Empty where there is no such account.
std::optional<std::string> commandsToLetTheServerRead(const std::filesystem::path& file);

} // namespace supplierd::host
