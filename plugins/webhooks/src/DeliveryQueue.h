#pragma once

#include "OrderedDeliveries.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::webhooks {

/// Where deliveries go, as it is in the database. Never changes: a new one takes its place.
struct Target {
    std::int64_t endpointId = 0;
    std::int64_t supplierId = 0;
    std::string url; ///< empty: posted nowhere, and so delivered once the log has it
    bool isFull = false;
    /// The present one first, then the one before while it is valid.
    std::vector<std::string> keys;
};

/// What became of one attempt.
struct Attempt {
    enum class Outcome {
        Delivered,
        Retry,
        Failed,
        Gone,  ///< the endpoint asked never to be called again
        Undone ///< nothing was sent: it does not count
    };

    std::int64_t endpointId = 0;
    std::int64_t deliveryId = 0;
    Outcome outcome = Outcome::Undone;
    /// With this one.
    std::int64_t attempts = 0;
    std::optional<int> status;
    std::string error;
    std::string answer;
    std::chrono::milliseconds took{0};
    /// Of Retry: until the next one.
    std::chrono::milliseconds pause{0};
};

/// A delivery that a sender has in hand.
struct WorkItem {
    std::shared_ptr<const Target> target;
    Delivery delivery;
    /// Of which lease of the endpoint it is.
    std::uint64_t queue = 0;
    /// The sender will be back before long.
    bool isQuick = false;
    /// To a full endpoint: this one, if its body is not in the database yet, and others behind it of which that is so.
    std::vector<Delivery> withoutBody;
};

/// How an endpoint stands, for the database.
struct EndpointState {
    std::int64_t endpointId = 0;
    /// In a row; nothing when the endpoint is another server's by now.
    std::optional<std::int64_t> failures;
    /// Nothing is sent until then.
    std::chrono::milliseconds pause{0};
};

/// The deliveries of the endpoints that this server has the lease of, as far as they are in memory: which is next, so
/// that those about one object go one after the other, whatever becomes of them, and that no endpoint takes more
/// senders than its share. Thread: any.
class DeliveryQueue {
public:
    struct Limits {
        std::size_t senders;
        std::size_t perEndpoint;
        /// Deliveries of all endpoints that begin in a second: a backlog takes no more from those who make requests.
        std::int64_t perSecond;
        std::chrono::milliseconds timeout;
        std::chrono::milliseconds firstPause;
    };
    /// What has to be read from the database.
    struct Wanted {
        std::int64_t endpointId = 0;
        /// Deliveries behind this one.
        std::int64_t after = 0;
    };
    /// An endpoint that has nothing to do now.
    struct Idle {
        std::int64_t endpointId = 0;
        std::int64_t enqueued = 0;
        /// Until it has; nothing: all is done.
        std::optional<std::chrono::milliseconds> wake;
    };

    explicit DeliveryQueue(const Limits& limits) : _limits(limits) {}

    // For the one thread that has the database.

    /// An endpoint that is new, or how it is now. `enqueued`: as the database has it.
    void own(std::shared_ptr<const Target> target, std::int64_t failures, std::int64_t enqueued,
             Clock::time_point leaseEnd);
    /// Drops all that is not among these; what is under way ends.
    void keepOnly(const std::vector<std::int64_t>& endpoints);
    std::size_t count() const;
    /// Those with nothing in memory first, and of them those of the suppliers that took the least time.
    std::vector<Wanted> wanted() const;
    /// What came of it. `isAll`: there are no more. One whose time lies further ahead than a pause can be long is due
    /// at once: the database's clock was put back.
    void add(std::int64_t endpointId, std::vector<Delivery> deliveries, bool isAll);
    /// Takes what is to be written down, with the state of each endpoint that has part in it.
    std::pair<std::vector<Attempt>, std::vector<EndpointState>> takeAttempts();
    /// Of those nothing is sent any more: drop() them, or stay().
    std::vector<Idle> idle();
    void drop(std::int64_t endpointId);
    void stay(std::int64_t endpointId);
    /// Time has passed: something may be due.
    void wake();

    // For senders.

    /// The next one; waits for it. Nothing once end() was called.
    std::optional<WorkItem> next();
    /// The bodies of the first `written` of `item.withoutBody`, which is empty afterwards, are in the database. All
    /// but the item's own may be sent by others.
    void putBack(WorkItem& item, std::size_t written);
    void finish(const WorkItem& item, Attempt attempt);

    void end();

private:
    /// What a supplier has of the senders.
    struct Share {
        std::size_t queues = 0;
        std::size_t underWay = 0;
        /// Grows with the time that its deliveries take: whoever has the least is next. One that had nothing to send
        /// begins where the others are (_turn), and saves nothing up.
        std::chrono::nanoseconds turn{0};
    };

    struct EndpointQueue {
        std::uint64_t number = 0;
        Share* share = nullptr;
        std::uint64_t lastStart = 0; ///< the number of the delivery that was begun last
        std::shared_ptr<const Target> target;
        Clock::time_point leaseEnd;
        std::int64_t enqueued = 0; ///< in the database
        std::int64_t loaded = 0;   ///< `enqueued` as of the last time that all was read
        std::int64_t lastId = 0;
        bool hasMore = true;
        OrderedDeliveries deliveries;
        std::size_t underWay = 0;
        std::int64_t failures = 0;
        Clock::time_point pausedUntil;
        bool isQuick = false;
        bool isLeaving = false;
        std::size_t unwritten = 0;
    };

    using EndpointQueues = std::map<std::int64_t, EndpointQueue>;

    std::optional<WorkItem> take(Clock::time_point now);
    EndpointQueue* nextQueue(Clock::time_point now);
    static void addWithoutBody(WorkItem& item, EndpointQueue& queue, Clock::time_point now);
    EndpointQueues::node_type extract(EndpointQueues::iterator place);
    void dropShare(std::int64_t supplierId);
    std::size_t sendersFor(const Share& share) const;
    void waitForStart(std::unique_lock<std::mutex>& lock);
    void keepPace(Clock::time_point now);
    bool maySend(const EndpointQueue& queue, Clock::time_point now) const;
    void note(EndpointQueue& queue, const Attempt& attempt);
    std::chrono::milliseconds pauseAfter(std::int64_t failures) const;

    const Limits _limits;
    mutable std::mutex _mutex;
    std::condition_variable _changed;
    bool _isEnded = false;
    EndpointQueues _queues;
    std::map<std::int64_t, Share> _shares; ///< by supplier
    std::chrono::nanoseconds _turn{0};     ///< of the supplier that was served last
    std::uint64_t _starts = 0;
    std::size_t _underWay = 0;
    Clock::time_point _nextStart; ///< of a delivery, by the pace
    bool _isStartAwaited = false; ///< by one of the senders
    bool _isStoodBy = false;      ///< by another one
    std::uint64_t _lastQueue = 0;
    std::vector<Attempt> _attempts;
};

/// Between two attempts at one delivery.
constexpr std::chrono::milliseconds LONGEST_PAUSE = std::chrono::hours(8);

/// `first`, then four times as long each time, up to `longest`, a quarter more or less at random.
std::chrono::milliseconds growingPause(std::chrono::milliseconds first, std::int64_t attempts,
                                       std::chrono::milliseconds longest);

} // namespace supplierd::webhooks
