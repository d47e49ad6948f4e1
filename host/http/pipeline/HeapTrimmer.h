#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>

namespace supplierd::host {

/// Gives memory back to the system after bodies, whole ones or not, and responses that waited: what was freed among
/// smaller things that live on, the allocator would keep for ever.
class HeapTrimmer {
public:
    /// Bounds what threads keep apart from each other; before the first thread.
    static void configure() {
        // Large buffers, such as pictures and bodies, go back to the system when they are freed. By itself glibc would
        // keep buffers as large as one that was freed before among the small ones of each thread.
        constexpr int LARGEST_KEPT = 512 * 1024;
        ::mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT);
        // Each arena keeps memory of its own; by itself glibc would make eight for each processor.
        constexpr int ARENAS = 4;
        ::mallopt(M_ARENA_MAX, ARENAS);
    }

    /// So many bytes were freed that somebody else had decided on. Thread: any; costs nothing.
    void note(std::size_t bytes) noexcept { _freed.fetch_add(bytes, std::memory_order_relaxed); }
    /// Takes milliseconds when much was freed since the last time. Thread: one without haste.
    void trim() noexcept {
        if (_freed.load(std::memory_order_relaxed) < MUCH)
            return;
        _freed.store(0, std::memory_order_relaxed);
        ::malloc_trim(0);
    }

private:
    static constexpr std::size_t MUCH = std::size_t{64} << 10;

    std::atomic<std::size_t> _freed{0};
};

} // namespace supplierd::host
