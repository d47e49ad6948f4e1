#include "host/gate/UnnamedFile.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace supplierd::host {

namespace {

[[noreturn]] void failFile(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

int openUnnamedFile() {
    const int file = ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        failFile("a temporary file");
    return file;
}

} // namespace

UnnamedFile::UnnamedFile() : _file(openUnnamedFile()) {}

void UnnamedFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(_file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            failFile("writing a temporary file");
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            _size += static_cast<std::uint64_t>(written);
        }
    }
}

std::size_t UnnamedFile::readSome(std::uint64_t offset, char* to, std::size_t size) const {
    ssize_t got = -1;
    do
        got = ::pread(_file.get(), to, size, static_cast<off_t>(offset));
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        failFile("reading a temporary file");
    return static_cast<std::size_t>(got);
}

std::string UnnamedFile::read(std::uint64_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    for (std::size_t at = 0; at < size;)
        at += readSome(offset + at, bytes.data() + at, size - at);
    return bytes;
}

} // namespace supplierd::host
