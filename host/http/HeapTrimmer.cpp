#include "host/http/HeapTrimmer.h"

#include <malloc.h>

namespace supplierd::host {

void HeapTrimmer::configure() {
    // Large buffers, such as pictures and bodies, go back to the system when they are freed. By itself glibc would keep
    // buffers as large as one that was freed before among the small ones of each thread.
    constexpr int LARGEST_KEPT = 512 * 1024;
    ::mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT);
    // Each arena keeps memory of its own; by itself glibc would make eight for each processor.
    constexpr int ARENAS = 4;
    ::mallopt(M_ARENA_MAX, ARENAS);
}

void HeapTrimmer::trim() noexcept {
    if (_hadLarge.exchange(false, std::memory_order_relaxed))
        ::malloc_trim(0);
}

} // namespace supplierd::host
