#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace supplierd::host {

/// How many statements each session of a pool may keep prepared. The database counts those of all sessions of all its
/// clients together (max_prepared_stmt_count); where it has no room left, everybody makes do with less. Thread: any.
class StatementLimit {
public:
    static constexpr std::size_t MOST = 256;
    static constexpr std::size_t LEAST = 16;

    std::size_t current() noexcept;
    /// The database refused one more: half as many from now on. Several refusals within a second are one. After ten
    /// minutes without any, twice as many are tried again.
    void lower() noexcept;

private:
    using Clock = std::chrono::steady_clock;

    std::atomic<std::size_t> _current{MOST};
    std::atomic<Clock::rep> _changedAt{0};
};

} // namespace supplierd::host
