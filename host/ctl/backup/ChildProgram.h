#pragma once

#include "host/db/PooledDatabase.h"
#include "host/db/SessionPool.h"

#include <Poco/Pipe.h>

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {

/// Where a program of MariaDB is: in PATH, or where servers' programs lie. Throws CommandFailure that names the
/// package.
std::filesystem::path findProgram(const std::string& name, const std::string& package);

struct ProgramResult {
    int exitCode = 0;
    std::string output; ///< and errors, the last of it
};

/// Runs a program to its end. `line` gets each line of its output and errors, and may throw, which ends the program.
ProgramResult runProgram(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         const std::string& input = {}, const std::function<void(const std::string&)>& line = {});

/// A folder that nobody else can enter, and that goes with the object; if this program is killed, with the next object
/// for the same parent.
class ScratchFolder {
public:
    /// Throws std::filesystem::filesystem_error.
    explicit ScratchFolder(const std::filesystem::path& parent);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return _path; }

private:
    std::filesystem::path _path;
    int _lock; ///< a file in it that is locked while somebody uses it
};

/// A mariadbd on a data directory, without network, that asks nobody for a password: on a socket in a folder that
/// nobody else can enter. It is stopped when the object goes. Throws CommandFailure when it does not start. Thread:
/// one.
class ScratchDatabase {
public:
    /// `name`: of the database that database() is.
    ScratchDatabase(const std::filesystem::path& data, const std::string& name);
    ~ScratchDatabase();
    ScratchDatabase(const ScratchDatabase&) = delete;
    ScratchDatabase& operator=(const ScratchDatabase&) = delete;

    /// For statements that may take hours.
    Database& database() { return *_database; }
    SessionPool& pool() { return *_pool; }
    /// Ends it in good order: the data directory is whole. Throws CommandFailure when it failed.
    void stop();

private:
    int end();
    void waitUntilAnswering(const std::filesystem::path& log) const;

    const ScratchFolder _folder; ///< for socket and log
    std::filesystem::path _socket;
    Poco::Pipe _said; ///< before it has its log; nobody reads it
    pid_t _pid = -1;
    std::unique_ptr<SessionPool> _pool;
    std::unique_ptr<PooledDatabase> _database;
};

} // namespace supplierd::host
