#pragma once

#include "DeliveryQueue.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::webhooks {

/// Messages for one endpoint.
struct Enqueued {
    std::int64_t endpointId = 0;
    std::vector<Message> messages;
};

/// Writes what is to be sent. Takes the rows of the endpoints' queues, and wakes them.
void enqueue(Transaction& transaction, std::span<const Enqueued> enqueued, std::chrono::milliseconds retryFor);

/// An endpoint that this server has the lease of.
struct Leased {
    Target target;
    std::int64_t failures = 0;
    std::int64_t enqueued = 0;
    Clock::time_point leaseEnd;
};

/// The leases of one server, and what it does under them. Thread: one.
class DeliveryStore {
public:
    /// `owner`: this run of this server.
    DeliveryStore(std::string owner, std::chrono::milliseconds lease) : _owner(std::move(owner)), _lease(lease) {}

    /// Takes the leases of endpoints that have something to do and that nobody has, at most so many. How many it may
    /// have got.
    std::size_t claim(Database& database, std::size_t limit) const;
    void renew(Database& database) const;
    /// Those that it has; endpoints that are switched off or deleted are not among them.
    std::vector<Leased> leased(SqlSession& session) const;
    /// What waits for an endpoint, in order.
    static std::vector<Delivery> load(SqlSession& session, std::int64_t endpointId, std::int64_t after,
                                      std::size_t limit);
    /// Writes down what became of attempts. The endpoints that failed for longer than `disableAfter`.
    static std::vector<std::int64_t> record(Transaction& transaction, std::span<const Attempt> attempts,
                                            std::span<const EndpointState> states,
                                            std::chrono::milliseconds disableAfter);
    /// Gives an endpoint back, unless there is more to do since. Whether it did.
    bool release(Database& database, const DeliveryQueue::Idle& idle) const;
    /// Gives an endpoint back that may not be called now: it is looked at again after the pause.
    void hold(Database& database, std::int64_t endpointId, std::chrono::milliseconds pause) const;
    /// Gives all back at once: others go on.
    void releaseAll(Database& database) const;

private:
    const std::string _owner;
    const std::chrono::milliseconds _lease;
};

} // namespace supplierd::webhooks
