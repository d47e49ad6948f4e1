#pragma once

#include <supplierd/Database.h>

#include <chrono>

namespace supplierd::webhooks {

/// The time that deliveries and endpoints are given up by: it goes on as the database's clock does, while servers look
/// at it. So neither a clock that is set, nor a day on which no server ran, makes a delivery fail or switches an
/// endpoint off. Thread: one.
class DeliveryClock {
public:
    /// Of two looks no more counts.
    static constexpr std::chrono::milliseconds LONGEST_STEP = std::chrono::minutes(1);
    /// What servers, or the nodes of a cluster, may differ by.
    static constexpr std::chrono::milliseconds TOLERANCE = std::chrono::seconds(5);

    /// Sets it on. When the database's clock was put back, by which time: queues that wait for a time on it are put
    /// back with it. `lease`: how long the lease of a queue is.
    static std::chrono::milliseconds look(Transaction& transaction, std::chrono::milliseconds lease);
};

} // namespace supplierd::webhooks
