#include "host/ctl/SetupFiles.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

constexpr mode_t MODE = 0640;
constexpr uid_t ROOT = 0;
constexpr auto UNCHANGED = static_cast<uid_t>(-1);

[[noreturn]] void fail(const std::string& doing, const fs::path& file) {
    throw fs::filesystem_error(doing, file, std::error_code(errno, std::generic_category()));
}

/// A new file under another name, which is gone at the end unless it was put in its place.
class NewFile {
public:
    explicit NewFile(fs::path target)
        : _target(std::move(target)), _name(_target.string() + ".new"), _descriptor(create()) {}
    ~NewFile() {
        ::close(_descriptor);
        if (!_isInPlace)
            ::unlink(_name.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::string_view text) {
        while (!text.empty()) {
            const auto written = ::write(_descriptor, text.data(), text.size());
            if (written < 0 && errno != EINTR)
                fail("writing", _name);
            if (written > 0)
                text.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    void putInPlace() {
        const auto group = SetupFiles::serverGroup();
        if (group && ::fchown(_descriptor, UNCHANGED, *group) != 0)
            fail("giving to the group supplierd", _name);
        if (::fchmod(_descriptor, MODE) != 0)
            fail("changing the mode", _name);
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

private:
    int create() const {
        ::unlink(_name.c_str()); // left over from a run that was cut short
        const int descriptor = ::open(_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (descriptor < 0)
            fail("creating", _name);
        return descriptor;
    }

    fs::path _target;
    fs::path _name;
    int _descriptor;
    bool _isInPlace = false;
};

fs::path behindLinks(const fs::path& file) {
    std::error_code error;
    auto real = fs::weakly_canonical(file, error);
    return error ? file : real;
}

} // namespace

std::optional<unsigned> SetupFiles::serverGroup() {
    if (::geteuid() != ROOT)
        return std::nullopt;
    const group* const entry = ::getgrnam("supplierd");
    return entry ? std::optional<unsigned>(entry->gr_gid) : std::nullopt;
}

void SetupFiles::write(const fs::path& file, const std::string& text) {
    NewFile fresh(behindLinks(file));
    fresh.write(text);
    fresh.putInPlace();
}

void SetupFiles::keepCopy(const fs::path& file, const fs::path& copy) {
    if (fs::exists(file))
        write(copy, read(file));
}

bool SetupFiles::settle(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || status.st_uid != ::geteuid())
        return false;
    const auto group = serverGroup().value_or(status.st_gid);
    if ((status.st_mode & 07777U) == MODE && status.st_gid == group)
        return false;
    if (::chown(file.c_str(), UNCHANGED, group) != 0)
        fail("giving to the group supplierd", file);
    if (::chmod(file.c_str(), MODE) != 0)
        fail("changing the mode", file);
    return true;
}

std::string SetupFiles::read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        fail("reading", file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace supplierd::host
