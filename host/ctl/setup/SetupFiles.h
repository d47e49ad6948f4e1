#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// The files of /etc/supplierd that setup writes. A new one is root's and, when there is such a group, the group's
/// `supplierd` (0640); without that group, or written by another user, it is readable for its owner alone when it holds
/// a secret (0600) and for everybody else when not (0644). A file that is there keeps its owner, its group and its
/// mode. Throws std::filesystem::filesystem_error. Thread: any.
class SetupFiles {
public:
    enum class Content { Public, Secret };

    /// The group that the server runs with; empty when there is none or this user may not give files to it.
    static std::optional<unsigned> serverGroup();

    /// Whole or not at all, and on the disk when it returns. A link is followed.
    static void write(const std::filesystem::path& file, const std::string& text, Content content);
    static std::string read(const std::filesystem::path& file);
};

/// A file that is written under another name first, which is gone at the end unless it was put in its place.
class NewFile {
public:
    NewFile(const std::filesystem::path& target, SetupFiles::Content content);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// Where it is until it is put in its place.
    const std::filesystem::path& path() const { return _name; }
    void write(std::string_view text);
    void putInPlace();

private:
    int create() const;
    void takeOwnerAndMode() const;

    std::filesystem::path _target;
    std::filesystem::path _name;
    SetupFiles::Content _content;
    int _descriptor;
    bool _isInPlace = false;
};

/// Held while one `supplierctl setup` works on the configuration of a folder: a second one waits, and finds what the
/// first has made. Thread: one.
class SetupLock {
public:
    /// Makes the folder when it is missing. Calls `waiting` once when somebody else holds it. Throws
    /// std::filesystem::filesystem_error.
    template <class Waiting>
    SetupLock(const std::filesystem::path& folder, const Waiting& waiting) : _descriptor(open(folder)) {
        if (!take(false)) {
            waiting();
            take(true);
        }
    }
    ~SetupLock();
    SetupLock(const SetupLock&) = delete;
    SetupLock& operator=(const SetupLock&) = delete;

private:
    static int open(const std::filesystem::path& folder);
    bool take(bool waits) const;

    int _descriptor;
};

} // namespace supplierd::host
