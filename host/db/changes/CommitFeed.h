#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace supplierd::host {

/// Tells listeners in this process whose change log has just grown. A hint that saves them asking the database all the
/// time: what other servers commit is not in it. Thread: any.
class CommitFeed {
public:
    /// Lifetime: within the feed's.
    class Listener {
    public:
        explicit Listener(CommitFeed& feed) : _feed(feed) {
            const std::lock_guard lock(_feed._mutex);
            _feed._listeners.push_back(this);
            ++_feed._count;
        }
        ~Listener() {
            const std::lock_guard lock(_feed._mutex);
            std::erase(_feed._listeners, this);
            --_feed._count;
        }
        Listener(const Listener&) = delete;
        Listener& operator=(const Listener&) = delete;

        /// The suppliers since the last call; waits for the first one. Empty when the time is over, or on a stop.
        std::set<std::int64_t> wait(std::chrono::milliseconds limit, const std::stop_token& stop) {
            std::unique_lock lock(_feed._mutex);
            _feed._grown.wait_for(lock, stop, limit, [this] { return !_suppliers.empty(); });
            return std::exchange(_suppliers, {});
        }

    private:
        friend class CommitFeed;

        CommitFeed& _feed;
        std::set<std::int64_t> _suppliers;
    };

    void committed(std::span<const std::int64_t> suppliers) {
        if (suppliers.empty() || _count == 0)
            return;
        {
            const std::lock_guard lock(_mutex);
            for (Listener* const listener : _listeners)
                listener->_suppliers.insert(suppliers.begin(), suppliers.end());
        }
        _grown.notify_all();
    }

private:
    std::mutex _mutex;
    std::condition_variable_any _grown;
    std::vector<Listener*> _listeners;
    std::atomic<std::size_t> _count{0};
};

} // namespace supplierd::host
