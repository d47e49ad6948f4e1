#include "ChangeFanOut.h"

#include "DeliveryStore.h"

#include <algorithm>
#include <thread>

namespace supplierd::webhooks {

namespace {

constexpr std::string_view SELECT_TIME = "SELECT NOW(6)";

/// So many times as fast as they are sent deliveries are made: those who make requests need the database, too.
constexpr std::int64_t AHEAD = 3;
/// Where as many wait as are sent in this time, they are made as fast as they are sent.
constexpr std::chrono::seconds STOCK{2};
/// At once: the job's row is locked meanwhile.
constexpr std::chrono::milliseconds LONGEST_PACE_PAUSE{500};

/// That what is between is not known: whoever follows reads anew.
Message missedChanges(Transaction& transaction, std::int64_t supplierId, const ChangePage& page) {
    Rows& now = transaction.query(SELECT_TIME);
    Message message;
    message.event = MISSED_EVENT;
    message.changeSeq = page.committed;
    message.occurredAt = now.next() ? now.time(0) : std::string();
    message.areAll = true;
    message.id = "evt_" + std::to_string(supplierId) + "_" + std::to_string(page.committed) + "_changes-missed";
    return message;
}

} // namespace

void ChangeFanOut::work(Transaction& transaction, std::int64_t supplierId, const ChangePage& page) {
    auto subscriptions = _endpoints.subscriptions(transaction, supplierId);
    if (subscriptions.empty())
        return; // nobody is kept waiting for others' deliveries
    if (const auto now = Clock::now(); now < _nextWork) {
        std::this_thread::sleep_until(std::min(_nextWork, now + LONGEST_PACE_PAUSE));
        subscriptions = _endpoints.subscriptions(transaction, supplierId);
    }
    std::vector<Enqueued> enqueued;
    std::int64_t least = _settings.maxBacklog; // of an endpoint: one that takes nothing has everything wait
    for (const Subscription& subscription : subscriptions) {
        least = std::min(least, subscription.backlog);
        Enqueued some{subscription.endpointId, messagesOf(supplierId, page, subscription.events, subscription.isFull)};
        if (!page.isComplete)
            some.messages.push_back(missedChanges(transaction, supplierId, page));
        if (subscription.backlog + static_cast<std::int64_t>(some.messages.size()) > _settings.maxBacklog)
            _endpoints.disable(transaction, subscription.endpointId, DisabledReason::BACKLOG);
        else if (!some.messages.empty())
            enqueued.push_back(std::move(some));
    }
    if (enqueued.empty())
        return;
    enqueue(transaction, enqueued, _settings.retryFor);
    _wake();
    std::size_t count = 0;
    for (const Enqueued& some : enqueued)
        count += some.messages.size();
    keepPace(count, least * static_cast<std::int64_t>(subscriptions.size()));
}

void ChangeFanOut::keepPace(std::size_t count, std::int64_t waiting) {
    const std::int64_t ahead = waiting < _settings.perSecond * STOCK.count() ? AHEAD : 1;
    const auto each = std::chrono::nanoseconds(std::chrono::seconds(1)) / (ahead * _settings.perSecond);
    _nextWork = std::max(_nextWork, Clock::now()) + each * static_cast<std::int64_t>(count);
}

} // namespace supplierd::webhooks
