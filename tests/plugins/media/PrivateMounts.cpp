#include "PrivateMounts.h"

#include "tests/support/ChildProcess.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace supplierd::tests {

bool enterPrivateMounts() {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool succeeds(std::vector<std::string> command) {
    try {
        return runCommand({.arguments = std::move(command)}).exitCode == 0;
    } catch (const std::exception&) {
        return false;
    }
}

SmallFileSystem::SmallFileSystem(std::filesystem::path folder, const std::string& size) : _folder(std::move(folder)) {
    std::filesystem::create_directories(_folder);
    const std::string options = "mode=0755,size=" + size;
    _isMounted = ::mount("tmpfs", _folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

SmallFileSystem::~SmallFileSystem() {
    if (_isMounted)
        ::umount2(_folder.c_str(), MNT_DETACH);
}

void SmallFileSystem::makeReadOnly(bool readOnly) const {
    if (::mount(nullptr, _folder.c_str(), nullptr, MS_REMOUNT | (readOnly ? MS_RDONLY : 0), nullptr) != 0)
        throw std::system_error(errno, std::generic_category(), "remount");
}

void SmallFileSystem::fill() const {
    const int file = ::open((_folder / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        throw std::system_error(errno, std::generic_category(), "filler");
    const std::string bytes(4096, 'x');
    while (::write(file, bytes.data(), bytes.size()) > 0) {
    }
    ::close(file);
}

void SmallFileSystem::drain() const {
    std::filesystem::remove(_folder / "filler");
}

FileSystemInFile::FileSystemInFile(std::filesystem::path folder) : _folder(std::move(folder)) {
    for (const auto* const mountPoint : {"present", "after"})
        std::filesystem::create_directories(_folder / mountPoint);
}

FileSystemInFile::~FileSystemInFile() {
    for (const auto* const mountPoint : {"after", "present"})
        ::umount2((_folder / mountPoint).c_str(), MNT_DETACH);
}

bool FileSystemInFile::mount() {
    const auto image = (_folder / "image").string();
    return succeeds({"truncate", "-s", "16M", image}) && succeeds({"mkfs.ext4", "-q", "-F", image}) &&
           succeeds({"mount", "-o", "loop", image, root().string()});
}

std::filesystem::path FileSystemInFile::afterPowerCut() {
    const auto copy = (_folder / "copy").string();
    auto mountPoint = _folder / "after";
    if (!succeeds({"cp", "--sparse=always", (_folder / "image").string(), copy}) ||
        !succeeds({"mount", "-o", "loop", copy, mountPoint.string()}))
        return {};
    return mountPoint;
}

void FileSystemInFile::release() const {
    if (!succeeds({"umount", (_folder / "after").string()}))
        throw std::runtime_error("cannot unmount the copy");
}

} // namespace supplierd::tests
