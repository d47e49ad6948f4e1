#pragma once

#include <supplierd/services/CacheMemory.h>

#include <prometheus/registry.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The memory of all caches, and which of them gives some of it back. Thread: any.
class SharedCacheMemory final : public CacheMemory {
public:
    /// `registry`: null where nobody asks for metrics.
    explicit SharedCacheMemory(std::size_t bound, const std::shared_ptr<prometheus::Registry>& registry = nullptr);

    std::size_t bound() const override { return _bound; }
    void add(Cache& cache, std::string_view name, double worth) override;
    void remove(Cache& cache) noexcept override;
    void changed(Cache& cache, std::ptrdiff_t bytes) override;

private:
    struct Account {
        Cache* cache;
        double worth;
        std::ptrdiff_t bytes;
        prometheus::Gauge* gauge;
    };

    /// With the lock of the accounts.
    void count(Cache& cache, std::ptrdiff_t bytes);
    std::ptrdiff_t total() const;
    void releaseDownTo(std::ptrdiff_t bytes);
    void trim(std::ptrdiff_t released);
    Cache* nextToRelease() const;

    const std::size_t _bound;
    prometheus::Family<prometheus::Gauge>* _gauges = nullptr;
    /// Held by who releases, and who adds or removes a cache: taken before the other one.
    std::mutex _releasing;
    std::ptrdiff_t _untrimmed = 0; ///< with `_releasing`, like the next
    Clock::time_point _trimmedAt;
    mutable std::mutex _mutex; ///< of the following
    std::vector<Account> _accounts;
    std::ptrdiff_t _total = 0;
};

} // namespace supplierd::host
