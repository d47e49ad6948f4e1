#include "host/ctl/setup/ServerUser.h"

#include "host/Version.h"
#include "host/config/ServerAccount.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <vector>

namespace supplierd::host {
namespace {

std::string nameOf(uid_t user) {
    const passwd* const entry = ::getpwuid(user);
    return entry ? std::string(entry->pw_name) : std::to_string(user);
}

/// From the process's status: the folder itself is root's when the process hides its memory.
std::optional<ServerUser> userOf(std::int64_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    std::optional<uid_t> user;
    std::optional<gid_t> group;
    for (std::string line; std::getline(status, line);) {
        unsigned real = 0;
        unsigned effective = 0;
        if (std::sscanf(line.c_str(), "Uid: %u %u", &real, &effective) == 2)
            user = effective;
        else if (std::sscanf(line.c_str(), "Gid: %u %u", &real, &effective) == 2)
            group = effective;
    }
    if (!user || !group)
        return std::nullopt;
    return ServerUser{*user, *group, nameOf(*user)};
}

std::vector<gid_t> groupsOf(const ServerUser& user) {
    int count = 64;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    if (::getgrouplist(user.name.c_str(), user.group, groups.data(), &count) < 0) {
        groups.resize(static_cast<std::size_t>(count)); // it tells how many there are
        ::getgrouplist(user.name.c_str(), user.group, groups.data(), &count);
    }
    groups.resize(static_cast<std::size_t>(count));
    return groups;
}

} // namespace

ServerUser ServerUser::find(const Settings& settings, const ServerSighting& seen) {
    if (const auto running = seen.running ? userOf(seen.running->pid) : std::nullopt)
        return *running;
    if (const auto account = settings.file == DEFAULT_CONFIG_FILE ? ServerAccount::find() : std::nullopt)
        return {account->user, account->group, ServerAccount::NAME};
    return {::geteuid(), ::getegid(), nameOf(::geteuid())};
}

bool ServerUser::may(const std::filesystem::path& file, int mode) const {
    if (::geteuid() != 0 || user == 0)
        return ::access(file.c_str(), mode) == 0;
    const auto groups = groupsOf(*this);
    const pid_t child = ::fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "cannot ask as the server's user");
    if (child == 0) { // nothing here but system calls: other threads may hold locks
        const bool changed = ::setgroups(groups.size(), groups.data()) == 0 && ::setresgid(group, group, group) == 0 &&
                             ::setresuid(user, user, user) == 0;
        ::_exit(changed && ::access(file.c_str(), mode) == 0 ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace supplierd::host
