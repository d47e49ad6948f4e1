#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace supplierd::host {

/// Writes the files of /etc/supplierd: 0640, root's and, when there is such a group, the group's `supplierd`; run by
/// another user, that user's. Throws std::filesystem::filesystem_error, Poco::Exception. Thread: any.
class SetupFiles {
public:
    /// The group that the server runs with; empty when there is none or this user may not give files to it.
    static std::optional<unsigned> serverGroup();

    /// Whole or not at all, and on the disk when it returns. A link is followed.
    static void write(const std::filesystem::path& file, const std::string& text);
    /// A copy beside it, readable as the file itself. Nothing when there is no file.
    static void keepCopy(const std::filesystem::path& file, const std::filesystem::path& copy);
    /// The mode and the group of a file of root's; false when it had them already, or belongs to somebody else.
    static bool settle(const std::filesystem::path& file);
    static std::string read(const std::filesystem::path& file);
};

} // namespace supplierd::host
