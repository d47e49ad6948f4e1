#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace supplierd::host {

/// A file or folder that is closed at the end. Throws std::filesystem::filesystem_error that names it. Thread: one.
class OpenFile {
public:
    /// `flags`: of open(2); a program that is started does not get it.
    OpenFile(std::filesystem::path path, int flags, mode_t mode = 0)
        : _path(std::move(path)), _descriptor(::open(_path.c_str(), flags | O_CLOEXEC, mode)) {
        require(_descriptor >= 0, (flags & O_CREAT) != 0 ? "cannot make" : "cannot open");
    }
    ~OpenFile() {
        if (_descriptor >= 0)
            ::close(_descriptor);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const { return _descriptor; }
    const std::filesystem::path& path() const { return _path; }

    /// The next piece, as large as the buffer at most; empty at the end.
    std::string_view read(std::string& buffer) const {
        ssize_t got = 0;
        do
            got = ::read(_descriptor, buffer.data(), buffer.size());
        while (got < 0 && errno == EINTR);
        require(got >= 0, "cannot read");
        return {buffer.data(), static_cast<std::size_t>(got)};
    }
    void write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t put = ::write(_descriptor, bytes.data(), bytes.size());
            require(put >= 0 || errno == EINTR, "cannot write");
            bytes.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
        }
    }
    /// Tells of an error that would be lost otherwise.
    void close() { require(::close(std::exchange(_descriptor, -1)) == 0, "cannot write"); }
    /// Throws with the system's reason unless what was tried is done.
    void require(bool isDone, const char* doing) const {
        if (!isDone)
            throw std::filesystem::filesystem_error(doing, _path, std::error_code(errno, std::generic_category()));
    }

private:
    std::filesystem::path _path;
    int _descriptor;
};

/// All that is in a file. Throws as OpenFile.
inline std::string readFile(const std::filesystem::path& file) {
    const OpenFile opened(file, O_RDONLY);
    std::string text;
    std::string buffer(4'096, '\0');
    for (auto piece = opened.read(buffer); !piece.empty(); piece = opened.read(buffer))
        text += piece;
    return text;
}

} // namespace supplierd::host
