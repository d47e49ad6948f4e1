#pragma once

#include "ProductOrder.h"

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace supplierd::catalog {

/// This cache holds the sort orders that lists were asked for in. Those of all live products stay. Those of filtered
/// lists stay that were asked for last, as long as they are few and small.
///
/// Thread: any, except that touch() runs beside nothing that reads or changes an order.
class SortOrderCache {
public:
    struct Entry {
        Entry(const IndexFilter& filter, OrderBy by) : order(filter, by) {}

        /// Held while the order is read or brought up to date, and taken before the lock of the columns. None but the
        /// one of all live products by the same key is locked beneath it.
        std::mutex mutex;
        ProductOrder order;
        /// order.bytes() when the lock was last released.
        std::atomic<std::size_t> bytes{0};
        std::uint64_t lastUse = 0;
    };

    static bool isOfAllLive(const IndexFilter& filter) { return filter == IndexFilter{}; }

    std::shared_ptr<Entry> find(const IndexFilter& filter, OrderBy by);
    /// Lets those of filters go that were used longest ago, until the rest has at most so many bytes; never one that is
    /// used, which must not miss what is changed meanwhile.
    void trim(std::size_t bytes);
    void touch(std::span<const ProductColumns::Applied> applied);

    std::size_t bytes() const;
    std::size_t count() const;

private:
    struct Key {
        IndexFilter filter;
        OrderBy by;

        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 in what the compiler writes here
        friend auto operator<=>(const Key&, const Key&) = default;
    };

    mutable std::mutex _mutex;
    std::map<Key, std::shared_ptr<Entry>> _orders;
    std::uint64_t _uses = 0;
};

} // namespace supplierd::catalog
