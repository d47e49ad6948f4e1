#pragma once

#include <supplierd/Abi.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace supplierd {

/// A service of the host: one bound of memory for all caches of the server and its plugins, `memory` in [server]. When
/// they outgrow it, what was not used for longest goes, whichever cache has it; what is dearer to make again stays for
/// longer. Caches of BoundedCache.h take part by themselves. Thread: any. Lifetime: until Plugin::stop()
/// returns. Since 1.0.
class SUPPLIERD_API CacheMemory {
public:
    static constexpr std::string_view ID = "supplierd.cache-memory/1";

    using Clock = std::chrono::steady_clock;

    /// One that takes part. Its functions are called by any thread that makes a cache grow, with no lock of that one.
    /// They call nothing of CacheMemory, nor does the destructor of what is released.
    class SUPPLIERD_API Cache {
    public:
        /// When that was used last which it would release next; nothing when it has nothing to release.
        virtual std::optional<Clock::time_point> oldestUse() noexcept = 0;
        /// Releases that, and may release more that is nearly as old. Returns how many bytes fewer it has now than it
        /// has reported by changed(): below 0 when it has grown by more meanwhile, which then is reported by this.
        virtual std::ptrdiff_t release() noexcept = 0;

    protected:
        ~Cache() = default;
    };

    /// In bytes, of all caches together.
    virtual std::size_t bound() const = 0;
    /// `name`: for metrics, "price-alerts: prices". `worth`: how much dearer a byte of it is to make again than one of
    /// a catalog's index, which has 1: what is worth 4 is released when it is four times as old. Throws
    /// std::invalid_argument for a worth that is not above 0.
    virtual void add(Cache& cache, std::string_view name, double worth) = 0;
    /// What it has reported counts no more. Waits for a release() of it that runs. Nothing happens for a cache that was
    /// not added.
    virtual void remove(Cache& cache) noexcept = 0;
    /// By a cache that has so many bytes more, or fewer, and holds no lock which its own functions take. Has caches
    /// release what is too much.
    virtual void changed(Cache& cache, std::ptrdiff_t bytes) = 0;

protected:
    ~CacheMemory() = default;
};

} // namespace supplierd
