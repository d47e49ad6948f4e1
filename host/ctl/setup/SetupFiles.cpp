#include "host/ctl/setup/SetupFiles.h"

#include "host/config/ServerAccount.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

constexpr mode_t FOR_THE_SERVERS_GROUP = 0640;
constexpr mode_t FOR_THE_OWNER = 0600;
constexpr mode_t FOR_ALL = 0644;
constexpr mode_t PERMISSIONS = 0777;
constexpr mode_t OF_THE_GROUP = 0070;
constexpr mode_t OF_OTHERS = 0007;
constexpr uid_t ROOT = 0;
constexpr auto UNCHANGED = static_cast<uid_t>(-1);

[[noreturn]] void fail(const std::string& doing, const fs::path& file) {
    throw fs::filesystem_error(doing, file, std::error_code(errno, std::generic_category()));
}

fs::path behindLinks(const fs::path& file) {
    std::error_code error;
    auto real = fs::weakly_canonical(file, error);
    return error ? file : real;
}

} // namespace

NewFile::NewFile(const fs::path& target, SetupFiles::Content content)
    : _target(behindLinks(target)), _name(_target.string() + ".new"), _content(content), _descriptor(create()) {}

NewFile::~NewFile() {
    ::close(_descriptor);
    if (!_isInPlace)
        ::unlink(_name.c_str());
}

int NewFile::create() const {
    ::unlink(_name.c_str()); // left over from a run that was cut short
    const int descriptor = ::open(_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FOR_THE_OWNER);
    if (descriptor < 0)
        fail("creating", _name);
    return descriptor;
}

void NewFile::write(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(_descriptor, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            fail("writing", _name);
        if (written > 0)
            text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Never readable for more than what it takes the place of, and a secret never for everybody.
void NewFile::takeOwnerAndMode() const {
    struct stat former {};
    const bool isSecret = _content == SetupFiles::Content::Secret;
    const bool isThere = ::stat(_target.c_str(), &former) == 0;
    const auto group = SetupFiles::serverGroup();
    auto mode = group ? FOR_THE_SERVERS_GROUP : isSecret ? FOR_THE_OWNER : FOR_ALL;
    if (isThere && !(isSecret && (former.st_mode & OF_OTHERS) != 0)) {
        mode = former.st_mode & PERMISSIONS;
        if (::fchown(_descriptor, former.st_uid, former.st_gid) != 0)
            mode &= ~OF_THE_GROUP; // it is in this user's group now
    } else if (group && ::fchown(_descriptor, UNCHANGED, *group) != 0) {
        fail("giving to the group supplierd", _name);
    }
    if (::fchmod(_descriptor, mode) != 0)
        fail("changing the mode", _name);
}

void NewFile::putInPlace() {
    takeOwnerAndMode();
    if (::fsync(_descriptor) != 0)
        fail("saving", _name);
    fs::rename(_name, _target);
    _isInPlace = true;
    const int folder = ::open(_target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return; // the name may be lost with the power, the content is not
    ::fsync(folder);
    ::close(folder);
}

std::optional<unsigned> SetupFiles::serverGroup() {
    const auto account = ::geteuid() == ROOT ? ServerAccount::find() : std::nullopt;
    return account ? std::optional<unsigned>(account->group) : std::nullopt;
}

void SetupFiles::write(const fs::path& file, const std::string& text, Content content) {
    NewFile fresh(file, content);
    fresh.write(text);
    fresh.putInPlace();
}

std::string SetupFiles::read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        fail("reading", file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

int SetupLock::open(const fs::path& folder) {
    const auto place = fs::absolute(folder);
    fs::create_directories(place);
    const int descriptor = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        fail("opening", place);
    return descriptor;
}

bool SetupLock::take(bool waits) const {
    while (::flock(_descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return false;
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "waiting for another setup");
    }
    return true;
}

SetupLock::~SetupLock() {
    ::close(_descriptor);
}

} // namespace supplierd::host
