#pragma once

#include "tests/support/ChildProcess.h"
#include "tests/support/ServerProcess.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What runs a command as another user; for root only.
inline std::vector<std::string> asUser(uid_t user) {
    const auto id = std::to_string(user);
    return {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"};
}

/// Whether that user reaches supplierctl and the folder: a checkout or TMPDIR below a private folder hides them.
inline bool isReachableBy(uid_t user, const std::filesystem::path& folder) {
    auto command = asUser(user);
    const std::vector<std::string> look = {
        "sh", "-c", "test -x \"$1\" && test -d \"$2\"", "sh", ServerProcess::controlProgram(), folder.string()};
    command.insert(command.end(), look.begin(), look.end());
    return runCommand({.arguments = command}).exitCode == 0;
}

} // namespace supplierd::tests
