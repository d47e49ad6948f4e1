#pragma once

#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A MariaDB of its own for tests that stop, kill or slow down the database. Most tests want TestDatabase instead.
/// The user is `root`, without a password, on the socket and (when asked for) on 127.0.0.1.
class PrivateMariaDb {
public:
    struct Options {
        bool tcp = false;
        std::vector<std::string> arguments = {}; ///< further ones of mariadbd, such as "--max-connections=20"
        std::filesystem::path data = {};         ///< a data directory that is there already; empty: a new one
    };

    /// Started when the constructor returns.
    PrivateMariaDb();
    explicit PrivateMariaDb(Options options);
    ~PrivateMariaDb();

    void start();
    /// SIGTERM: an orderly end.
    void stop();
    /// SIGKILL: a crash; start() recovers.
    void kill();
    void restart();
    /// SIGSTOP and SIGCONT: the connections stay open, nothing answers.
    void pause();
    void resume();

    std::filesystem::path data() const { return _options.data.empty() ? _directory / "data" : _options.data; }
    std::string socket() const { return (_directory / "db.sock").string(); }
    unsigned port() const { return _port; } ///< 0 without Options::tcp
    pid_t pid() const { return _process ? _process->pid() : -1; }

private:
    void waitUntilAnswering();

    Options _options;
    TemporaryDirectory _directory;
    unsigned _port = 0;
    std::unique_ptr<ChildProcess> _process;
};

/// A port on 127.0.0.1 that was free a moment ago.
unsigned findFreePort();

} // namespace supplierd::tests
