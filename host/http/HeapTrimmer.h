#pragma once

#include <atomic>
#include <cstddef>

namespace supplierd::host {

/// Gives memory back to the system after requests with large bodies: what was freed among smaller things that live on,
/// the allocator would keep for ever.
class HeapTrimmer {
public:
    /// Bounds what threads keep apart from each other; before the first thread.
    static void configure();

    /// A body of so many bytes was read. Thread: any; costs nothing.
    void note(std::size_t bodySize) noexcept {
        if (bodySize >= LARGE)
            _hadLarge.store(true, std::memory_order_relaxed);
    }
    /// Takes milliseconds when there was a large body since the last time. Thread: one without haste.
    void trim() noexcept;

private:
    static constexpr std::size_t LARGE = std::size_t{64} << 10;

    std::atomic<bool> _hadLarge{false};
};

} // namespace supplierd::host
