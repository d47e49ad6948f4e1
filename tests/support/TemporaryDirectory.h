#pragma once

#include <filesystem>
#include <string_view>

namespace supplierd::tests {

/// A directory of mode 0700 that goes with the object.
class TemporaryDirectory {
public:
    explicit TemporaryDirectory(std::string_view purpose = "test");
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return _path; }
    std::filesystem::path operator/(std::string_view name) const { return _path / name; }

private:
    std::filesystem::path _path;
};

} // namespace supplierd::tests
