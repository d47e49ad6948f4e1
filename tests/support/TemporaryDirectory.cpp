#include "tests/support/TemporaryDirectory.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace supplierd::tests {

TemporaryDirectory::TemporaryDirectory(std::string_view purpose) {
    auto pattern = (std::filesystem::temp_directory_path() / "supplierd-").string();
    pattern.append(purpose).append("-XXXXXX");
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    _path = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(_path, ignored);
}

} // namespace supplierd::tests
