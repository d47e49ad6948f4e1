#include "ChangeFanOut.h"

#include "DeliveryStore.h"

namespace supplierd::webhooks {

namespace {

constexpr std::string_view SELECT_TIME = "SELECT NOW(6)";

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
        return;
    std::vector<Enqueued> enqueued;
    for (const Subscription& subscription : subscriptions) {
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
}

} // namespace supplierd::webhooks
