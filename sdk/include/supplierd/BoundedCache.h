#pragma once

#include <supplierd/services/CacheMemory.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace supplierd {

/// Values by key within the memory that all caches share; those that nobody asked for longest go first. What is kept is
/// never changed, so that who found it can read it without a lock. Header-only: it lives in the plugin. Thread: any.
/// Since 1.0.
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache final : CacheMemory::Cache {
public:
    /// `memory` outlives it, but not the plugin: destroy it in Plugin::stop() at the latest. `name` and `worth` are
    /// those of CacheMemory::add().
    BoundedCache(CacheMemory& memory, std::string_view name, double worth) : _memory(memory) {
        _memory.add(*this, name, worth);
    }
    ~BoundedCache() { _memory.remove(*this); }
    BoundedCache(const BoundedCache&) = delete;
    BoundedCache& operator=(const BoundedCache&) = delete;

    /// Null when it is not there.
    std::shared_ptr<const Value> find(const Key& key) {
        Shard& shard = shardOf(key);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.byKey.find(key);
        if (found == shard.byKey.end())
            return nullptr;
        shard.byUse.splice(shard.byUse.begin(), shard.byUse, found->second);
        found->second->usedAt = now();
        return found->second->value;
    }

    /// In place of what is there, if `replaces(old)` says so. `bytes`: what the value takes, without the cache's own
    /// share.
    template <class Replaces>
    void keep(const Key& key, std::shared_ptr<const Value> value, std::size_t bytes, const Replaces& replaces) {
        if (bytes > _memory.bound() / LARGEST_PART)
            return remove(key); // it would cost all else its place
        auto more = static_cast<std::ptrdiff_t>(bytes + OVERHEAD);
        {
            Shard& shard = shardOf(key);
            const std::lock_guard lock(shard.mutex);
            if (const auto found = shard.byKey.find(key); found != shard.byKey.end()) {
                if (!replaces(*found->second->value))
                    return;
                more -= shard.remove(found->second);
            }
            const auto place = shard.byKey.emplace(key, shard.byUse.end()).first;
            shard.byUse.push_front({key, std::move(value), bytes + OVERHEAD, now()});
            place->second = shard.byUse.begin();
        }
        _memory.changed(*this, more);
    }

    void remove(const Key& key) {
        std::ptrdiff_t fewer = 0;
        {
            Shard& shard = shardOf(key);
            const std::lock_guard lock(shard.mutex);
            if (const auto found = shard.byKey.find(key); found != shard.byKey.end())
                fewer = shard.remove(found->second);
        }
        if (fewer != 0)
            _memory.changed(*this, -fewer);
    }

private:
    using Clock = CacheMemory::Clock;

    static constexpr std::size_t SHARDS = 16;
    static constexpr std::size_t OVERHEAD = 168; ///< the nodes of a list and a map, the control block
    static constexpr int RELEASED_AT_ONCE = 32;
    static constexpr int NEARLY_PART = 8; ///< of an age: what is younger by that is nearly as old
    static constexpr std::size_t LARGEST_PART = 8;

    struct Entry {
        Key key;
        std::shared_ptr<const Value> value;
        std::size_t bytes;
        Clock::time_point usedAt;
    };
    using Place = typename std::list<Entry>::iterator;

    struct Shard {
        /// The bytes that it had.
        std::ptrdiff_t remove(Place place) {
            const auto bytes = static_cast<std::ptrdiff_t>(place->bytes);
            byKey.erase(place->key);
            byUse.erase(place);
            return bytes;
        }

        std::mutex mutex;
        std::list<Entry> byUse; ///< the one used last in front
        std::unordered_map<Key, Place, Hash> byKey;
    };

    /// To a few milliseconds: a list of products asks for it once for each of them.
    static Clock::time_point now() {
#ifdef CLOCK_MONOTONIC_COARSE
        timespec time{};
        ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
        return Clock::time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
#else
        return Clock::now();
#endif
    }

    std::optional<Clock::time_point> oldestUse() noexcept override {
        return oldest().second;
    }

    std::ptrdiff_t release() noexcept override {
        const auto [shard, since] = oldest();
        if (shard == nullptr)
            return 0;
        const auto until = *since + (now() - *since) / NEARLY_PART;
        std::ptrdiff_t bytes = 0;
        std::list<Entry> released; // these may be large: they go without the lock
        const std::lock_guard lock(shard->mutex);
        for (int i = 0; i < RELEASED_AT_ONCE && !shard->byUse.empty() && shard->byUse.back().usedAt <= until; ++i) {
            const auto last = std::prev(shard->byUse.end());
            bytes += static_cast<std::ptrdiff_t>(last->bytes);
            shard->byKey.erase(last->key);
            released.splice(released.end(), shard->byUse, last);
        }
        return bytes;
    }

    std::pair<Shard*, std::optional<Clock::time_point>> oldest() noexcept {
        std::pair<Shard*, std::optional<Clock::time_point>> oldest{nullptr, std::nullopt};
        for (Shard& shard : _shards) {
            const std::lock_guard lock(shard.mutex);
            if (!shard.byUse.empty() && (!oldest.second || shard.byUse.back().usedAt < *oldest.second))
                oldest = {&shard, shard.byUse.back().usedAt};
        }
        return oldest;
    }

    Shard& shardOf(const Key& key) {
        return _shards[Hash()(key) % SHARDS];
    }

    CacheMemory& _memory;
    std::array<Shard, SHARDS> _shards;
};

} // namespace supplierd
