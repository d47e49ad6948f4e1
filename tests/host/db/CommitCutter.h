#pragma once

#include "host/db/SessionSettings.h"
#include "tests/support/TemporaryDirectory.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Stands between a client and the database, and cuts the connection at a COMMIT. Thread: any.
class CommitCutter {
public:
    enum class Cut {
        None,
        Before, ///< the server never sees the COMMIT
        After,  ///< the server has answered; the client never sees it
        Hold    ///< the client is cut off at once, the server sees the COMMIT once the connection is let() go
    };

    explicit CommitCutter(const host::SessionSettings& database);
    ~CommitCutter();
    CommitCutter(const CommitCutter&) = delete;
    CommitCutter& operator=(const CommitCutter&) = delete;

    /// Of sessions through it.
    host::SessionSettings settings() const;
    /// Cuts the next `times` COMMITs so.
    void cut(Cut how, int times = 1);
    int cuts() const { return _cuts; }
    /// Passes on what was held.
    void letGo() { _letGo = true; }

private:
    std::string socket() const { return (_directory / "cutter.sock").string(); }
    void accept();
    void serve(int client);
    bool atCommit(int client, int server);
    bool takeOne(Cut& how);

    TemporaryDirectory _directory{"cutter"};
    host::SessionSettings _database;
    int _listener = -1;
    std::atomic<bool> _stopping{false};
    std::atomic<bool> _letGo{false};
    std::atomic<int> _cuts{0};
    std::mutex _mutex;
    Cut _how = Cut::None;
    int _times = 0;
    std::vector<std::thread> _connections;
    std::thread _accepting;
};

} // namespace supplierd::tests
