#pragma once

#include <supplierd/Errors.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace supplierd::host {

/// The queue in front of each supplier's catalogue. Its changes follow one after the other in the database, whoever
/// waits there holds a session of the pool: so few may, and the others wait here without one. First come, first served.
/// Thread: any.
class CatalogueGate {
public:
    using Clock = std::chrono::steady_clock;

    /// The right to change one supplier's catalogue; given back when destroyed. Must not outlive the gate.
    class Place {
    public:
        Place(Place&& other) noexcept;
        Place& operator=(Place&&) = delete;
        ~Place();

    private:
        friend class CatalogueGate;
        Place(CatalogueGate& gate, std::int64_t supplierId) : _gate(&gate), _supplierId(supplierId) {}

        CatalogueGate* _gate;
        std::int64_t _supplierId;
    };

    /// So many wait for one catalogue at most.
    static constexpr std::size_t MOST_WAITING = 64;
    /// Unavailable, Retry-After.
    static ApiError tooManyWaiting();

    /// `places`: how many may be at work on one catalogue, at least 1.
    explicit CatalogueGate(std::size_t places) : _places(places) {}
    CatalogueGate(const CatalogueGate&) = delete;
    CatalogueGate& operator=(const CatalogueGate&) = delete;

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
        std::deque<Waiter*> waiting;
    };

    bool takeFreePlace(Queue& queue) const;
    void leave(std::int64_t supplierId) noexcept;

    const std::size_t _places;
    std::mutex _mutex;
    std::unordered_map<std::int64_t, Queue> _queues; ///< of the catalogues that somebody is at work on
};

} // namespace supplierd::host
