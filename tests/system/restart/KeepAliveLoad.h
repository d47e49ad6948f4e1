#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Clients that send request after request, each on a connection that it keeps as long as the server lets it, and never
/// repeat one. Everything but a 200 is kept as a failure.
class KeepAliveLoad {
public:
    /// `url` with the path prefix, as ServerProcess gives it.
    KeepAliveLoad(const std::string& url, const std::string& key, const std::string& path, int clients);
    ~KeepAliveLoad();
    KeepAliveLoad(const KeepAliveLoad&) = delete;
    KeepAliveLoad& operator=(const KeepAliveLoad&) = delete;

    std::size_t answered() const { return _answered; }
    /// Waits until every client has had as many responses more, or one has failed.
    void waitForMore(std::size_t responsesEach) const;
    void finish();
    /// After finish().
    const std::vector<std::string>& failures() const { return _failures; }

private:
    void run(std::size_t client);
    void fail(const std::string& what);

    const std::string _url;
    const std::string _key;
    const std::string _path;
    std::atomic<bool> _stopping{false};
    std::atomic<bool> _failed{false};
    std::atomic<std::size_t> _answered{0};
    std::vector<std::atomic<std::size_t>> _responses; ///< by client
    std::mutex _mutex;
    std::vector<std::string> _failures;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests
