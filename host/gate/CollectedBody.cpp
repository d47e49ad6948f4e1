#include "host/gate/CollectedBody.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace supplierd::host {

namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Nobody else ever sees it, and it is gone with its descriptor.
int openUnnamedFile() {
    const int file = ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        fail("a temporary file for a large body");
    return file;
}

} // namespace

CollectedBody::~CollectedBody() {
    if (_file >= 0)
        ::close(_file);
}

void CollectedBody::spill() {
    if (_file < 0)
        _file = openUnnamedFile();
    for (std::size_t at = 0; at < _bytes.size();) {
        const auto written = ::write(_file, _bytes.data() + at, _bytes.size() - at);
        if (written < 0 && errno != EINTR)
            fail("writing a large body to a temporary file");
        if (written > 0)
            at += static_cast<std::size_t>(written);
    }
    _written += _bytes.size();
    _bytes.clear();
}

std::string CollectedBody::take() {
    _at = _written;
    return _written == 0 ? std::exchange(_bytes, {}) : std::string();
}

std::size_t CollectedBody::read(std::span<char> to) {
    if (_at < _written) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), _written - _at));
        ssize_t got = -1;
        do
            got = ::pread(_file, to.data(), wanted, static_cast<off_t>(_at));
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            fail("reading a large body from a temporary file");
        _at += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
    }
    const auto from = static_cast<std::size_t>(_at - _written);
    const auto size = std::min(to.size(), _bytes.size() - from);
    std::memcpy(to.data(), _bytes.data() + from, size);
    _at += size;
    return size;
}

std::string_view CollectedBody::begin(std::size_t size) const {
    return _written == 0 ? std::string_view(_bytes).substr(0, size) : std::string_view();
}

void CollectedBody::clear() {
    if (_file >= 0)
        ::close(std::exchange(_file, -1));
    std::string().swap(_bytes);
    _memory = SIZE_MAX;
    _written = 0;
    _at = 0;
}

} // namespace supplierd::host
