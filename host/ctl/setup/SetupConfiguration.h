#pragma once

#include "host/config/ConfigValue.h"
#include "host/config/Diagnostic.h"
#include "host/ctl/terminal/OpenFile.h"
#include "host/db/SessionSettings.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace supplierd::host {

/// Takes "db.example", "db.example:3307", "[::1]:3306" or "/run/mysqld/mysqld.sock". Throws CommandFailure (Usage).
void takePlace(SessionSettings& session, const std::string& text);

/// Changes single keys in the text of a TOML file and leaves everything else as it stands: comments, order, spaces.
/// What it cannot change so (a value over several lines, a table written inline) it refuses. Thread: one.
class ConfigEditor {
public:
    /// `file` is named in what it refuses.
    explicit ConfigEditor(std::string_view text, std::string file = {});

    /// `[section]` gets `key = value`; `value` as TOML writes it. A line that has the key gets the new value; else the
    /// line comes after the commented-out default, or at the end of the section. Throws CommandFailure.
    void set(const std::string& section, const std::string& key, const std::string& value);

    /// What is there now.
    std::string text() const;

    /// As TOML writes it: "…", escaped.
    static std::string quoted(std::string_view text);

private:
    std::string _file;
    std::vector<std::string> _lines;
};

/// A file of /etc/supplierd that setup writes: under another name first, which is gone at the end unless it was put in
/// its place. A new one is root's and, when there is such a group, the group's `supplierd` (0640); without that group,
/// or written by another user, it is readable for its owner alone when it holds a secret (0600) and for everybody else
/// when not (0644). A file that is there keeps its owner, its group and its mode. A link is followed. Throws
/// std::filesystem::filesystem_error. Thread: one.
class SetupFile {
public:
    enum class Content { Public, Secret };

    SetupFile(const std::filesystem::path& target, Content content, std::string_view text);
    ~SetupFile();
    SetupFile(const SetupFile&) = delete;
    SetupFile& operator=(const SetupFile&) = delete;

    /// Where it is until it is put in its place.
    const std::filesystem::path& path() const { return _file.path(); }
    /// Whole or not at all, and on the disk when it returns.
    void putInPlace();

private:
    void takeOwnerAndMode() const;

    std::filesystem::path _target;
    Content _content;
    OpenFile _file;
    bool _isInPlace = false;
};

/// The table [database] of the configuration, as setup finds it and wants it. Setup writes it into a file of its own,
/// conf.d/10-setup.toml, and never into supplierd.toml: that one belongs to its package, which could not replace it at
/// an upgrade without a question any more. Thread: one.
class SetupConfiguration {
public:
    /// Reads what is there; a missing file is as good as an empty one. Throws CommandFailure with what is wrong in it.
    explicit SetupConfiguration(std::filesystem::path file);

    /// The server's configuration file.
    const std::filesystem::path& file() const { return _file; }
    /// The file that write() writes.
    const std::filesystem::path& ownFile() const { return _own; }
    /// What the server would use now, with the password when there is one.
    const SessionSettings& present() const { return _present; }
    /// Whether the files say so themselves, instead of leaving it at the default.
    bool names(const std::string& key) const { return _places.contains(key); }
    /// The files that have keys of [database], with commas; the server's configuration file when none has.
    std::string places() const;

    /// What write() would do, one line each, without secrets. Throws CommandFailure when another file of conf.d says
    /// something else, naming the place.
    std::vector<std::string> changesFor(const SessionSettings& wanted) const;
    /// The password goes into a file of its own, unless the configuration holds it already. Nothing is written where
    /// nothing changes, and nothing takes its place before the whole was read back as the server would. Throws
    /// CommandFailure, std::filesystem::filesystem_error.
    void write(const SessionSettings& wanted);

private:
    using Value = std::variant<std::string, std::int64_t>;

    struct Edit {
        std::string key;
        Value value;
    };

    void read();
    bool passwordGoesToItsFile(const SessionSettings& wanted) const;
    std::vector<Edit> editsFor(const SessionSettings& wanted) const;
    void refuseElsewhere(const std::vector<Edit>& edits) const;
    std::string describe(const Edit& edit) const;
    void writeOwnFile(const std::vector<Edit>& edits, const SessionSettings& wanted) const;
    /// Throws CommandFailure unless the server would find these values with `candidate` in the place of the own file.
    void verify(const std::filesystem::path& candidate, const std::vector<Edit>& edits) const;

    std::filesystem::path _file;
    std::filesystem::path _own;
    SessionSettings _present;
    std::map<std::string, ConfigPosition> _places; ///< of the keys of [database]
    std::filesystem::path _passwordFile;           ///< as the configuration names it, or as setup would
};

} // namespace supplierd::host
