#pragma once

#include "RowSet.h"

#include <mutex>
#include <shared_mutex>

namespace supplierd::catalog {

/// Somebody who reads the columns for long under their shared lock, and lets those in meanwhile who change them:
/// between two pieces of his work, or as long as he can do without the columns. Thread: one.
class LongRead {
public:
    /// So many rows are a piece: about a millisecond.
    static constexpr RowNumber PIECE = 65'536;

    /// Lets nobody in.
    LongRead() = default;
    /// The lock is held.
    explicit LongRead(std::shared_lock<std::shared_mutex>& lock) : _lock(&lock) {}

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
