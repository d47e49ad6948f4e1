#pragma once

#include "Delivery.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace supplierd::webhooks {

/// What waits for one endpoint, and what is under way to it: those about one object one after the other. Knows of each
/// what it waits for, so that to find the next takes no longer where much waits. Thread: one at a time.
class OrderedDeliveries {
public:
    OrderedDeliveries() = default;
    // Its entries point at each other.
    OrderedDeliveries(const OrderedDeliveries&) = delete;
    OrderedDeliveries& operator=(const OrderedDeliveries&) = delete;

    /// Behind all that there are: its id is greater than theirs.
    void add(Delivery delivery);
    /// Whether there is one for take().
    bool isReady(Clock::time_point now) const {
        return !_ready.empty() || (!_waiting.empty() && _waiting.begin()->first <= now);
    }
    /// The first that is due and that no other one about its objects is in front of; it is under way from now on. Null:
    /// there is none.
    const Delivery* take(Clock::time_point now);
    /// Null: it is not there.
    Delivery* find(std::int64_t id);
    /// One that was under way is to be sent again.
    void putBack(std::int64_t id, Clock::time_point due);
    /// One that was under way is done with.
    void remove(std::int64_t id);

    std::size_t size() const { return _entries.size(); }
    bool empty() const { return _entries.empty(); }
    /// Of all, also of those that wait for others; there is one.
    Clock::time_point earliestDue() const;

private:
    struct Entry {
        Delivery delivery;
        /// For each object, as they stand in the message: who is next in its line.
        std::vector<Entry*> followers;
        /// Lines in which others stand in front of it.
        std::size_t blockers = 0;
    };
    /// By object: where the next one in its line is noted.
    using LineEnds = std::unordered_map<std::int64_t, Entry**>;

    LineEnds& lineEndsOf(const Message& message);
    void setFree(const Entry& entry) { _waiting.emplace(entry.delivery.due, entry.delivery.id); }

    std::map<std::int64_t, Entry> _entries;
    std::map<Subject, LineEnds> _lineEnds;
    // Those that nothing is in front of and that are not under way.
    std::set<std::pair<Clock::time_point, std::int64_t>> _waiting; ///< until they are due
    std::set<std::int64_t> _ready;                                 ///< which were due at the last look
};

} // namespace supplierd::webhooks
