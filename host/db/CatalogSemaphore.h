#pragma once

#include <supplierd/Errors.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace supplierd::host {

/// The queue in front of each supplier's catalog. Its changes follow one after the other in the database, whoever
/// waits there holds a session of the pool: so few may, and the others wait here without one. First come, first served.
///
/// Of those few hardly any may still be at work, with the catalog's lock or waiting for it: should this process stand
/// still, each keeps the lock from everybody else for as long as the database lets it. Those whose COMMIT is on its way
/// need nothing more of this process. Thread: any.
class CatalogSemaphore {
public:
    using Clock = std::chrono::steady_clock;

    /// The right to change one supplier's catalog; given back when destroyed. Must not outlive the semaphore.
    class Place {
    public:
        Place(Place&& other) noexcept;
        Place& operator=(Place&&) = delete;
        ~Place();

        /// COMMIT is sent next: another one may begin its work.
        void beginCommit() noexcept;
        /// COMMIT was refused: the work goes on, whoever began meanwhile.
        void resume() noexcept;

    private:
        friend class CatalogSemaphore;
        Place(CatalogSemaphore& semaphore, std::int64_t supplierId) : _semaphore(&semaphore), _supplierId(supplierId) {}

        CatalogSemaphore* _semaphore;
        std::int64_t _supplierId;
        bool _isCommitting = false;
    };

    /// So many wait for one catalog at most.
    static constexpr std::size_t MOST_WAITING = 64;
    /// Unavailable, Retry-After.
    static ApiError tooManyWaiting();

    /// How many may be at one catalog, and how many of them before their COMMIT; at least 1.
    explicit CatalogSemaphore(std::size_t places, std::size_t atWork = std::numeric_limits<std::size_t>::max())
        : _places(places), _atWork(atWork) {}
    CatalogSemaphore(const CatalogSemaphore&) = delete;
    CatalogSemaphore& operator=(const CatalogSemaphore&) = delete;

    /// Nothing when none is free or somebody waits already.
    std::optional<Place> tryEnter(std::int64_t supplierId);
    /// Waits for a place. Throws ApiError (Unavailable, Retry-After) when MOST_WAITING wait already, and when none
    /// became free in time. Several suppliers: in ascending id order, and holding nothing that others wait for.
    Place enter(std::int64_t supplierId, Clock::time_point deadline);

private:
    struct Waiter {
        std::condition_variable wake;
        bool entered = false;
    };
    struct Queue {
        std::size_t inside = 0;
        std::size_t atWork = 0; ///< of these
        std::deque<Waiter*> waiting;
    };

    bool hasFreePlace(const Queue& queue) const { return queue.inside < _places && queue.atWork < _atWork; }
    bool takeFreePlace(Queue& queue) const;
    void admit(Queue& queue) const noexcept;
    void beginCommit(std::int64_t supplierId) noexcept;
    void resume(std::int64_t supplierId) noexcept;
    void leave(std::int64_t supplierId, bool isCommitting) noexcept;

    const std::size_t _places;
    const std::size_t _atWork;
    std::mutex _mutex;
    std::unordered_map<std::int64_t, Queue> _queues; ///< of the catalogs that somebody is at work on
};

} // namespace supplierd::host
