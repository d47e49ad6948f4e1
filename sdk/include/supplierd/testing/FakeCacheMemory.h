#pragma once

#include <supplierd/services/CacheMemory.h>

#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace supplierd::testing {

/// Memory for the caches of a test: without a bound, unless it is given one. What was used longest ago is released,
/// whatever it is worth. Thread: any. Since 1.0.
class FakeCacheMemory final : public CacheMemory {
public:
    std::size_t bound() const override { return _bound; }
    /// Before a cache is made of it.
    void setBound(std::size_t bytes) { _bound = bytes; }
    /// What the caches have reported.
    std::ptrdiff_t bytes() const {
        const std::lock_guard lock(_mutex);
        return all();
    }

    void add(Cache& cache, std::string_view, double) override {
        const std::lock_guard lock(_mutex);
        _caches[&cache] = 0;
    }
    void remove(Cache& cache) noexcept override {
        const std::lock_guard lock(_mutex);
        _caches.erase(&cache);
    }
    void changed(Cache& cache, std::ptrdiff_t more) override {
        const std::lock_guard lock(_mutex);
        _caches[&cache] += more;
        while (all() > static_cast<std::ptrdiff_t>(_bound)) {
            Cache* oldest = nullptr;
            std::optional<Clock::time_point> oldestUse;
            for (const auto& [other, bytes] : _caches)
                if (const auto use = other->oldestUse(); use && (!oldestUse || *use < *oldestUse)) {
                    oldest = other;
                    oldestUse = use;
                }
            if (!oldest)
                return;
            _caches[oldest] -= oldest->release();
        }
    }

private:
    std::ptrdiff_t all() const {
        std::ptrdiff_t all = 0;
        for (const auto& [cache, bytes] : _caches)
            all += bytes;
        return all;
    }

    std::size_t _bound = std::numeric_limits<std::ptrdiff_t>::max();
    mutable std::mutex _mutex;
    std::map<Cache*, std::ptrdiff_t> _caches;
};

} // namespace supplierd::testing
