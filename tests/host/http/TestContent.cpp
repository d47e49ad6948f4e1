#include "tests/host/http/TestContent.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <system_error>

namespace supplierd::tests {

namespace {

int fileWith(const std::string& bytes) {
    const int descriptor = ::memfd_create("content", MFD_CLOEXEC);
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(), "memfd_create");
    if (::pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error(errno, std::generic_category(), "pwrite");
    return descriptor;
}

} // namespace

std::string patternBytes(std::size_t size) {
    std::string bytes(size, ' ');
    std::uint32_t state = 1;
    for (char& byte : bytes) {
        state = state * 1'664'525U + 1'013'904'223U;
        byte = static_cast<char>('a' + (state >> 24U) % 26);
    }
    return bytes;
}

FileContent::FileContent(const std::string& bytes) : _size(bytes.size()), _descriptor(fileWith(bytes)) {}

FileContent::~FileContent() {
    ::close(_descriptor);
}

std::string FileContent::read(std::uint64_t, std::size_t) const {
    throw std::logic_error("a file that the kernel can send was read");
}

void FileContent::truncate(std::uint64_t size) const {
    if (::ftruncate(_descriptor, static_cast<off_t>(size)) != 0)
        throw std::system_error(errno, std::generic_category(), "ftruncate");
}

} // namespace supplierd::tests
