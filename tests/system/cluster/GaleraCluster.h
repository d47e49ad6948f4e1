#pragma once

#include "tests/support/TemporaryDirectory.h"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Three nodes of packaging/private-galera, which are stopped when the object goes, and also when the process dies.
/// The user is `root`, without a password, on the sockets.
class GaleraCluster {
public:
    /// Whether galera-4 is installed.
    static bool isAvailable();

    GaleraCluster();
    ~GaleraCluster();
    GaleraCluster(const GaleraCluster&) = delete;
    GaleraCluster& operator=(const GaleraCluster&) = delete;

    std::size_t size() const { return _sockets.size(); }
    const std::string& socket(std::size_t node) const { return _sockets.at(node); }
    /// The node of that socket.
    std::size_t nodeOf(const std::string& socket) const;

    /// SIGKILL.
    void kill(std::size_t node) const;
    /// SIGSTOP, and SIGCONT.
    void pause(std::size_t node) const;
    void resume(std::size_t node) const;
    /// Starts those that do not run; they are in step when it returns.
    void start() const;
    /// Starts only this one; when none runs, it begins the cluster with its data.
    void startOnly(std::size_t node) const;
    /// Of one that does not run: it gets all of it from another node when it is started.
    void removeData(std::size_t node) const;
    /// Who gives a node all data is a donor for so long before it copies them.
    void delayTransfers(int seconds) const;
    /// Stops all nodes, removes their data, and begins a cluster of the same nodes that knows nothing of the former
    /// one; `fill` is called when only the first one runs.
    void beginAnew(const std::function<void()>& fill) const;
    /// Runs statements on a node, `;` between them. What they print.
    std::string run(std::size_t node, const std::string& sql) const;
    /// Waits until all are in step with one another. Throws after a minute.
    void awaitAllInStep() const;

private:
    std::string command(const std::string& what, const std::vector<std::string>& options = {}) const;
    pid_t pidOf(std::size_t node) const;
    bool isInStep(std::size_t node) const;
    /// What the nodes' logs have of them.
    std::string errors() const;
    void guard();

    TemporaryDirectory _directory{"galera"};
    std::vector<std::string> _sockets;
    pid_t _guardian = -1;
    int _guarded = -1; ///< the guardian waits for its end
};

} // namespace supplierd::tests
