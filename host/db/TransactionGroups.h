#pragma once

#include "host/db/CatalogSemaphore.h"
#include "host/db/TransactionRunner.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

namespace supplierd::host {

/// Lets short works of one supplier go together: while one transaction is under way, those that come wait, and then run
/// one after the other in the next one, on the thread of the one that has waited for longest. They wait without a
/// session, share the transaction's beginning, place, lock and COMMIT, and are committed together. When one of them
/// fails, nothing of the group is committed and each runs again alone, so that nobody gets another one's error.
/// Thread: any.
class TransactionGroups {
public:
    /// Runs works of a supplier as one transaction, in a runner; ends with `failedAtWork` as that says it.
    using Run =
        std::function<void(std::int64_t supplierId, std::span<const TransactionWork> works, bool& failedAtWork)>;

    /// More would keep the lock from others for too long, and there is little left to be shared.
    static constexpr std::size_t MOST_TOGETHER = 8;

    explicit TransactionGroups(Run run) : _run(std::move(run)) {}
    TransactionGroups(const TransactionGroups&) = delete;
    TransactionGroups& operator=(const TransactionGroups&) = delete;

    /// Returns when the work is committed. Throws what the work throws, what `Run` does, and ApiError (Unavailable,
    /// Retry-After) when CatalogSemaphore::MOST_WAITING wait already or it has waited until the deadline.
    void run(std::int64_t supplierId, const TransactionWork& work, CatalogSemaphore::Clock::time_point deadline);

private:
    enum class State { Waiting, Leading, Taken, Committed, Failed, Alone };
    struct Member {
        TransactionWork work;
        State state = State::Waiting;
        std::exception_ptr failure = nullptr;
        std::condition_variable wake = {};
    };
    struct Queue {
        bool isBusy = false; ///< one of them leads
        std::deque<Member*> waiting = {};
    };

    struct Outcome {
        State state = State::Committed;
        std::exception_ptr failure = nullptr;
    };

    /// Until it leads or was taken along.
    static void wait(std::unique_lock<std::mutex>& lock, Member& self, Queue& queue,
                     CatalogSemaphore::Clock::time_point deadline);
    void lead(std::unique_lock<std::mutex>& lock, Member& self, std::int64_t supplierId);
    Outcome runTogether(std::int64_t supplierId, std::span<Member* const> group) const;

    const Run _run;
    std::mutex _mutex;
    std::unordered_map<std::int64_t, Queue> _queues; ///< of the suppliers of whom a work is under way
};

} // namespace supplierd::host
