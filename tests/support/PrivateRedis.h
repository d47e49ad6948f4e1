#pragma once

#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A Redis of the test's own, on a Unix socket, which writes nothing to disk: what it knew is gone when it ends.
class PrivateRedis {
public:
    /// Started when the constructor returns. `arguments`: further ones of redis-server.
    explicit PrivateRedis(std::vector<std::string> arguments = {});

    void start();
    /// SIGKILL.
    void kill();
    /// SIGSTOP and SIGCONT: the connections stay open, nothing answers.
    void pause();
    void resume();

    /// What redis-cli prints for the command, without the end of the line.
    std::string run(const std::vector<std::string>& command) const;

    std::string socket() const { return (_directory / "redis.sock").string(); }
    /// A table [redis] of a server's configuration; `more`: further lines.
    std::string configuration(const std::string& more = {}) const;

private:
    TemporaryDirectory _directory;
    std::vector<std::string> _arguments;
    std::unique_ptr<ChildProcess> _process;
};

} // namespace supplierd::tests
