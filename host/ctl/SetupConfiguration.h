#pragma once

#include "host/config/ConfigProblem.h"
#include "host/db/SessionSettings.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace supplierd::host {

/// The table [database] of the configuration, as setup finds it and wants it. Thread: one.
class SetupConfiguration {
public:
    /// Reads what is there; a missing file is as good as an empty one. Throws CommandFailure with what is wrong in it.
    explicit SetupConfiguration(std::filesystem::path file);

    const std::filesystem::path& file() const { return _file; }
    /// What the server would use now, with the password when there is one.
    const SessionSettings& present() const { return _present; }
    /// Whether the files say so themselves, instead of leaving it at the default.
    bool names(const std::string& key) const { return _places.contains(key); }

    /// What write() would do, one line each, without secrets. Throws CommandFailure when a file of conf.d says
    /// something else, naming the place.
    std::vector<std::string> changesFor(const SessionSettings& wanted) const;
    /// The password goes into a file of its own, unless the configuration holds it already; the former text of the
    /// configuration is kept beside it as `.before-setup`. Nothing is written where nothing changes. Throws
    /// CommandFailure, std::filesystem::filesystem_error.
    void write(const SessionSettings& wanted);

private:
    struct Edit {
        std::string key;
        std::string value;
        bool isSecret = false;
    };

    void read();
    bool passwordGoesToItsFile(const SessionSettings& wanted) const;
    std::vector<Edit> editsFor(const SessionSettings& wanted) const;
    void refuseElsewhere(const std::vector<Edit>& edits) const;
    void verify(const SessionSettings& wanted) const;

    std::filesystem::path _file;
    SessionSettings _present;
    std::map<std::string, ConfigPosition> _places; ///< of the keys of [database]
    std::filesystem::path _passwordFile;           ///< as the configuration names it, or as setup would
};

} // namespace supplierd::host
