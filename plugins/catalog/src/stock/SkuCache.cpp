#include "stock/SkuCache.h"

#include <algorithm>
#include <functional>

namespace supplierd::catalog {

namespace {

/// Never 0.
std::uint64_t hashOf(std::int64_t supplierId, std::string_view sku) {
    constexpr std::uint64_t ODD = 0x9E3779B97F4A7C15U;
    const std::uint64_t ofSku = std::hash<std::string_view>()(sku);
    return (ofSku ^ (static_cast<std::uint64_t>(supplierId) * ODD)) | 1U;
}

} // namespace

SkuCache::Set& SkuCache::setOf(std::uint64_t hash) {
    std::call_once(_isMade, [this] { _sets = std::make_unique<Set[]>(SETS); });
    return _sets[(hash >> 1U) % SETS];
}

std::int64_t SkuCache::find(std::int64_t supplierId, std::string_view sku) {
    const std::uint64_t hash = hashOf(supplierId, sku);
    for (const Entry& entry : setOf(hash))
        if (entry.hash.load(std::memory_order_relaxed) == hash)
            return entry.productId.load(std::memory_order_relaxed);
    return 0;
}

void SkuCache::remember(std::int64_t supplierId, std::string_view sku, std::int64_t productId) {
    const std::uint64_t hash = hashOf(supplierId, sku);
    Set& set = setOf(hash);
    const auto hasHash = [](std::uint64_t wanted) {
        return [wanted](const Entry& entry) { return entry.hash.load(std::memory_order_relaxed) == wanted; };
    };
    auto place = std::find_if(set.begin(), set.end(), hasHash(hash));
    if (place == set.end())
        place = std::find_if(set.begin(), set.end(), hasHash(0));
    if (place == set.end())
        place = set.begin() + static_cast<std::ptrdiff_t>((hash >> 32U) % set.size());
    place->productId.store(productId, std::memory_order_relaxed);
    place->hash.store(hash, std::memory_order_relaxed);
}

void SkuCache::forget(std::int64_t supplierId, std::string_view sku) {
    const std::uint64_t hash = hashOf(supplierId, sku);
    for (Entry& entry : setOf(hash))
        if (entry.hash.load(std::memory_order_relaxed) == hash)
            entry.hash.store(0, std::memory_order_relaxed);
}

} // namespace supplierd::catalog
