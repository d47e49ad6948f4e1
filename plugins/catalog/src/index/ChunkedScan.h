#pragma once

#include "RowSet.h"

#include <mutex>
#include <shared_mutex>

namespace supplierd::catalog {

/// A chunked scan reads the columns for long under their shared lock. It lets writers in between two chunks, and while
/// it can do without the columns. Thread: one.
class ChunkedScan {
public:
    /// So many rows are a chunk: about a millisecond.
    static constexpr RowNumber CHUNK = 65'536;

    /// This scan lets nobody in.
    ChunkedScan() = default;
    /// The caller holds the lock, which pause() and without() release for a while.
    explicit ChunkedScan(std::shared_lock<std::shared_mutex>& lock) : _lock(&lock) {}

    void pause() {
        without([] {});
    }

    /// What work() throws leaves the lock released.
    template <class Work>
    void without(Work work) {
        if (_lock != nullptr)
            _lock->unlock();
        work();
        if (_lock != nullptr)
            _lock->lock();
    }

private:
    std::shared_lock<std::shared_mutex>* _lock = nullptr;
};

} // namespace supplierd::catalog
