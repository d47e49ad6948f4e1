#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace supplierd::catalog {

/// Whose last bulk request changed less than half of what it named. An ERP that sends all stocks every five minutes
/// goes on like that, so it is worth a look before the catalog's lock is taken. Only a hint: suppliers share places.
/// Thread: any.
class UnchangedPushes {
public:
    bool areLikely(std::int64_t supplierId) const { return at(supplierId).load(std::memory_order_relaxed); }
    void note(std::int64_t supplierId, std::size_t named, std::size_t changed) {
        const bool isLikely = changed < named - changed;
        if (at(supplierId).load(std::memory_order_relaxed) != isLikely)
            at(supplierId).store(isLikely, std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t SIZE = 4'096;

    std::atomic<bool>& at(std::int64_t supplierId) { return _are[static_cast<std::uint64_t>(supplierId) % SIZE]; }
    const std::atomic<bool>& at(std::int64_t supplierId) const {
        return _are[static_cast<std::uint64_t>(supplierId) % SIZE];
    }

    std::array<std::atomic<bool>, SIZE> _are{};
};

} // namespace supplierd::catalog
