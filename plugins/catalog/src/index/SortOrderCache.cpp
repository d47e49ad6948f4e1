#include "SortOrderCache.h"

namespace supplierd::catalog {

namespace {

constexpr std::size_t FILTERED_ORDERS = 32;
/// A node of the map and its filter, without the texts of that.
constexpr std::size_t BYTES_PER_ORDER = 512;

} // namespace

std::shared_ptr<SortOrderCache::Entry> SortOrderCache::find(const IndexFilter& filter, OrderBy by) {
    const std::lock_guard lock(_mutex);
    auto& entry = _orders[Key{filter, by}];
    if (!entry)
        entry = std::make_shared<Entry>(filter, by);
    entry->lastUse = ++_uses;
    return entry;
}

void SortOrderCache::trim(std::size_t bytes) {
    const std::lock_guard lock(_mutex);
    for (;;) {
        std::size_t count = 0;
        std::size_t sum = 0;
        auto oldest = _orders.end();
        for (auto i = _orders.begin(); i != _orders.end(); ++i) {
            if (isOfAllLive(i->first.filter))
                continue;
            ++count;
            sum += i->second->bytes;
            const bool isUsed = i->second.use_count() > 1;
            if (!isUsed && (oldest == _orders.end() || i->second->lastUse < oldest->second->lastUse))
                oldest = i;
        }
        if (count <= 1 || oldest == _orders.end() || (count <= FILTERED_ORDERS && sum <= bytes))
            return;
        _orders.erase(oldest);
    }
}

void SortOrderCache::touch(std::span<const ProductColumns::Applied> applied) {
    const std::lock_guard lock(_mutex); // against find()
    for (auto& [key, entry] : _orders) {
        for (const auto& [row, differences] : applied)
            entry->order.touch(row, differences);
        entry->bytes = entry->order.bytes();
    }
}

std::size_t SortOrderCache::bytes() const {
    const std::lock_guard lock(_mutex);
    std::size_t bytes = 0;
    for (const auto& [key, entry] : _orders)
        bytes += entry->bytes + BYTES_PER_ORDER;
    return bytes;
}

std::size_t SortOrderCache::count() const {
    const std::lock_guard lock(_mutex);
    return _orders.size();
}

} // namespace supplierd::catalog
