#include "ChangeFanOut.h"

#include "DeliveryStore.h"

#include <supplierd/Errors.h>

#include <algorithm>

namespace supplierd::webhooks {

namespace {

constexpr std::string_view SELECT_TIME = "SELECT NOW(6)";

/// So many times as fast as they are sent deliveries are made: those who make requests need the database, too.
constexpr std::int64_t AHEAD = 3;
/// Where as many wait as are sent in this time, they are made as fast as they are sent.
constexpr std::chrono::seconds STOCK{2};
/// So much earlier a supplier may be served, since it is asked for now and then only.
constexpr std::chrono::milliseconds TOLERANCE{100};

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
    const auto subscriptions = _endpoints.subscriptions(transaction, supplierId);
    if (subscriptions.empty())
        return;              // nobody is kept waiting for others' deliveries
    if (isAhead(supplierId)) // others have their turn meanwhile
        throw ApiError(ErrorKind::RateLimited, "deliveries are made faster than they can be sent");
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
    keepPace(supplierId, count, least * static_cast<std::int64_t>(subscriptions.size()));
}

bool ChangeFanOut::isAhead(std::int64_t supplierId) {
    const auto now = Clock::now();
    std::erase_if(_nextWork, [now](const auto& next) { return next.second <= now; });
    const auto next = _nextWork.find(supplierId);
    return next != _nextWork.end() && next->second > now + TOLERANCE;
}

void ChangeFanOut::keepPace(std::int64_t supplierId, std::size_t count, std::int64_t waiting) {
    const std::int64_t ahead = waiting < _settings.perSecond * STOCK.count() ? AHEAD : 1;
    const auto each = std::chrono::nanoseconds(std::chrono::seconds(1)) / (ahead * _settings.perSecond);
    auto& next = _nextWork.try_emplace(supplierId, Clock::now()).first->second;
    const auto suppliers = static_cast<std::int64_t>(_nextWork.size()); // that share the pace
    next = std::max(next, Clock::now()) + each * suppliers * static_cast<std::int64_t>(count);
}

} // namespace supplierd::webhooks
