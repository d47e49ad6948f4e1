#pragma once

#include "host/base/EventDescriptor.h"
#include "host/base/OwnedDescriptor.h"

#include <supplierd/StopSignal.h>

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
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
        /// Throws std::system_error when the process has no descriptor left.
        explicit Listener(CommitFeed& feed) : _feed(feed), _grown(newEventDescriptor()) {
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
        std::set<std::int64_t> wait(std::chrono::milliseconds limit, const StopSignal& stop) {
            std::array<pollfd, 2> events{{{_grown.get(), POLLIN, 0}, {stop.descriptor(), POLLIN, 0}}};
            ::poll(events.data(), events.size(), static_cast<int>(limit.count()));
            const std::lock_guard lock(_feed._mutex);
            eventfd_t ignored = 0;
            ::eventfd_read(_grown.get(), &ignored);
            return std::exchange(_suppliers, {});
        }

    private:
        friend class CommitFeed;

        CommitFeed& _feed;
        const OwnedDescriptor _grown;
        std::set<std::int64_t> _suppliers; ///< while there is one, _grown is readable
    };

    void committed(std::span<const std::int64_t> suppliers) {
        if (suppliers.empty() || _count == 0)
            return;
        const std::lock_guard lock(_mutex);
        for (Listener* const listener : _listeners) {
            if (listener->_suppliers.empty())
                ::eventfd_write(listener->_grown.get(), 1);
            listener->_suppliers.insert(suppliers.begin(), suppliers.end());
        }
    }

private:
    std::mutex _mutex;
    std::vector<Listener*> _listeners;
    std::atomic<std::size_t> _count{0};
};

} // namespace supplierd::host
