#include "host/ctl/terminal/WriteProtection.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace supplierd::host {

namespace {

// As the second and the third version of the interface have them; Debian 12's headers know the second.
constexpr std::uint64_t ACCESS_REFER = 1U << 13U;
constexpr std::uint64_t ACCESS_TRUNCATE = 1U << 14U;
constexpr long WITH_REFER = 2;
constexpr long WITH_TRUNCATE = 3;

class Descriptor {
public:
    explicit Descriptor(long descriptor, const char* doing) : _descriptor(static_cast<int>(descriptor)) {
        if (_descriptor < 0)
            throw std::system_error(errno, std::generic_category(), doing);
    }
    ~Descriptor() { ::close(_descriptor); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return _descriptor; }

private:
    int _descriptor;
};

std::uint64_t writingAccess(long version) {
    std::uint64_t access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                           LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                           LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                           LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    if (version >= WITH_REFER)
        access |= ACCESS_REFER;
    if (version >= WITH_TRUNCATE)
        access |= ACCESS_TRUNCATE;
    return access;
}

void allow(const Descriptor& rules, const std::filesystem::path& folder, std::uint64_t access) {
    const Descriptor opened(::open(folder.c_str(), O_PATH | O_CLOEXEC), "opening a folder that may be written to");
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = opened.get();
    if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        throw std::system_error(errno, std::generic_category(), "allowing writes");
}

} // namespace

bool allowWritesOnlyIn(const std::vector<std::filesystem::path>& writable) {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0)
        return false;
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = writingAccess(version);
    const Descriptor rules(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0), "landlock");
    for (const auto& folder : writable)
        allow(rules, folder, handled.handled_access_fs);
    for (const auto* folder : {"/dev", "/proc"})
        allow(rules, folder, LANDLOCK_ACCESS_FS_WRITE_FILE);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0)
        throw std::system_error(errno, std::generic_category(), "landlock");
    return true;
}

} // namespace supplierd::host
