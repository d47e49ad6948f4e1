#pragma once

#include <semaphore.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace supplierd::host {

/// What one thread waits at. std::binary_semaphore gives the processor away time and again before it sleeps, which
/// costs more than sleeping where others have work for it.
class Semaphore {
public:
    Semaphore() { ::sem_init(&_semaphore, 0, 0); } // fails only for values that are too large
    ~Semaphore() { ::sem_destroy(&_semaphore); }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    void release() noexcept { ::sem_post(&_semaphore); }
    void acquire() noexcept {
        while (::sem_wait(&_semaphore) != 0)
            ; // a signal
    }
    /// False after the time.
    bool acquireWithin(std::chrono::milliseconds time) noexcept {
        constexpr std::int64_t NANOSECONDS = 1'000'000'000;
        timespec until{};
        ::clock_gettime(CLOCK, &until);
        const auto nanoseconds = until.tv_nsec + std::chrono::nanoseconds(time).count();
        until.tv_sec += nanoseconds / NANOSECONDS;
        until.tv_nsec = nanoseconds % NANOSECONDS;
        while (waitUntil(until) != 0)
            if (errno != EINTR)
                return false;
        return true;
    }

private:
#ifdef __SANITIZE_THREAD__ // it knows of this one alone
    static constexpr clockid_t CLOCK = CLOCK_REALTIME;
    int waitUntil(const timespec& until) noexcept {
        return ::sem_timedwait(&_semaphore, &until);
    }
#else
    static constexpr clockid_t CLOCK = CLOCK_MONOTONIC;
    int waitUntil(const timespec& until) noexcept {
        return ::sem_clockwait(&_semaphore, CLOCK, &until);
    }
#endif

    sem_t _semaphore{};
};

} // namespace supplierd::host
