#pragma once

#include <filesystem>
#include <string>

namespace supplierd::host {

/// A file in one of its states.
struct MarkedFile {
    std::filesystem::path path;
    /// Of its inode, size and time of change, so that it tells nothing of the content; empty: there is no such file.
    std::string mark;

    friend bool operator==(const MarkedFile&, const MarkedFile&) = default;
};

/// As the file is now. Follows symlinks. Throws nothing for what the file system says.
MarkedFile markFile(const std::filesystem::path& file);

} // namespace supplierd::host
