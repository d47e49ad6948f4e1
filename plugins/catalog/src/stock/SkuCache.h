#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

namespace supplierd::catalog {

/// Which products SKUs named when they were last looked up, for bulk requests that name the same ones all day. Only a
/// hint: a product may have been given another SKU since, or two SKUs have the same hash. Who goes by it has the
/// database check that the product still has that very SKU. Of fixed size; what was looked up long ago gives way.
/// Thread: any.
class SkuCache {
public:
    /// Of some 500,000 SKUs. Taken with the first one.
    static constexpr std::size_t BYTES = std::size_t{8} << 20;

    /// 0: unknown. `sku` is written as in the catalog.
    std::int64_t find(std::int64_t supplierId, std::string_view sku);
    void remember(std::int64_t supplierId, std::string_view sku, std::int64_t productId);
    void forget(std::int64_t supplierId, std::string_view sku);

private:
    /// Written without a lock: a hash may stand beside another one's product for a moment.
    struct Entry {
        std::atomic<std::uint64_t> hash{0}; ///< 0: free
        std::atomic<std::int64_t> productId{0};
    };
    using Set = std::array<Entry, 4>;
    static constexpr std::size_t SETS = BYTES / sizeof(Set);

    Set& setOf(std::uint64_t hash);

    std::once_flag _isMade;
    std::unique_ptr<Set[]> _sets;
};

} // namespace supplierd::catalog
