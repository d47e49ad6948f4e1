#pragma once

#include "MediaMetrics.h"
#include "MediaStore.h"

#include <supplierd/Log.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace supplierd::media {

/// Counts every failure of the store, and writes one line when images begin to fail, or fail in another way, and one
/// when they work again, not one for each request. Reading and storing fail separately: a full disk is read all the
/// same. Thread: any.
class StoreOutage {
public:
    using Clock = std::chrono::steady_clock;
    enum class Use : std::uint8_t { Reading, Storing };

    /// So long without a failure, and it is over: of a store that fails now and then not every turn is told.
    static constexpr std::chrono::seconds QUIET{2};

    StoreOutage(Logger& log, MediaMetrics& metrics) : _log(log), _metrics(metrics) {}

    void failed(Use use, const MediaStoreError& failure, Clock::time_point now = Clock::now());
    /// Costs next to nothing while nothing fails.
    void worked(Use use, Clock::time_point now = Clock::now());

private:
    struct State {
        std::atomic<bool> isOn = false;
        MediaStoreError::Kind kind = MediaStoreError::Kind::Unreachable;
        Clock::time_point lastFailure;
        std::uint64_t failures = 0;
    };

    Logger& _log;
    MediaMetrics& _metrics;
    std::mutex _mutex;
    std::array<State, 2> _states;
};

} // namespace supplierd::media
