#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace supplierd {

/// Values by key within a bound of memory; those that nobody asked for longest go first. What is kept is never changed,
/// so that who found it can read it without a lock. Header-only: it lives in the plugin. Thread: any. Since 1.0.
template <class Key, class Value>
class BoundedCache {
public:
    /// In bytes, as keep() is told them.
    explicit BoundedCache(std::size_t memory) : _shardMemory(memory / SHARDS) {}

    /// Null when it is not there.
    std::shared_ptr<const Value> find(const Key& key) {
        Shard& shard = shardOf(key);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.byKey.find(key);
        if (found == shard.byKey.end())
            return nullptr;
        shard.byUse.splice(shard.byUse.begin(), shard.byUse, found->second);
        return found->second->value;
    }

    /// In place of what is there, if `replaces(old)` says so. `bytes`: what the value takes, without the cache's own
    /// share.
    template <class Replaces>
    void keep(const Key& key, std::shared_ptr<const Value> value, std::size_t bytes, const Replaces& replaces) {
        Shard& shard = shardOf(key);
        const std::lock_guard lock(shard.mutex);
        if (const auto found = shard.byKey.find(key); found != shard.byKey.end()) {
            if (!replaces(*found->second->value))
                return;
            shard.remove(found->second);
        }
        shard.byUse.push_front({key, std::move(value), bytes + OVERHEAD});
        shard.byKey.emplace(key, shard.byUse.begin());
        shard.bytes += bytes + OVERHEAD;
        while (shard.bytes > _shardMemory && !shard.byUse.empty())
            shard.remove(std::prev(shard.byUse.end()));
    }

    void remove(const Key& key) {
        Shard& shard = shardOf(key);
        const std::lock_guard lock(shard.mutex);
        if (const auto found = shard.byKey.find(key); found != shard.byKey.end())
            shard.remove(found->second);
    }

private:
    static constexpr std::size_t SHARDS = 16;
    static constexpr std::size_t OVERHEAD = 160; ///< the nodes of a list and a map, the control block

    struct Entry {
        Key key;
        std::shared_ptr<const Value> value;
        std::size_t bytes;
    };
    using Place = typename std::list<Entry>::iterator;

    struct Shard {
        void remove(Place place) {
            bytes -= place->bytes;
            byKey.erase(place->key);
            byUse.erase(place);
        }

        std::mutex mutex;
        std::list<Entry> byUse; ///< the one used last in front
        std::unordered_map<Key, Place> byKey;
        std::size_t bytes = 0;
    };

    Shard& shardOf(const Key& key) { return _shards[std::hash<Key>()(key) % SHARDS]; }

    std::size_t _shardMemory;
    std::array<Shard, SHARDS> _shards;
};

} // namespace supplierd
