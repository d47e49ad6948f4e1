#pragma once

#include "host/config/ConfigProblem.h"
#include "host/config/ConfigValue.h"
#include "host/db/SessionSettings.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace supplierd::host {

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
    /// The own file with these values in it.
    std::string textWith(const std::vector<Edit>& edits) const;
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
