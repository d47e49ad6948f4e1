#include "host/db/TransactionGroups.h"

#include "host/base/OwnCopy.h"

#include <algorithm>
#include <array>
#include <vector>

namespace supplierd::host {

void TransactionGroups::run(std::int64_t supplierId, const TransactionWork& work,
                            CatalogSemaphore::Clock::time_point deadline) {
    Member self{work};
    {
        std::unique_lock lock(_mutex);
        // Stays where it is: it is not removed while one leads, and the map moves no element.
        Queue& queue = _queues[supplierId];
        if (queue.isBusy)
            wait(lock, self, queue, deadline);
        else
            self.state = State::Leading;
        if (self.state == State::Leading)
            lead(lock, self, supplierId);
        else
            self.wake.wait(lock, [&self] { return self.state != State::Taken; });
    }
    if (self.state == State::Failed)
        std::rethrow_exception(self.failure);
    bool failedAtWork = false;
    if (self.state == State::Alone)
        _run(supplierId, {&work, 1}, failedAtWork);
}

void TransactionGroups::wait(std::unique_lock<std::mutex>& lock, Member& self, Queue& queue,
                             CatalogSemaphore::Clock::time_point deadline) {
    if (queue.waiting.size() >= CatalogSemaphore::MOST_WAITING)
        throw CatalogSemaphore::tooManyWaiting();
    queue.waiting.push_back(&self);
    if (self.wake.wait_until(lock, deadline, [&self] { return self.state != State::Waiting; }))
        return;
    queue.waiting.erase(std::find(queue.waiting.begin(), queue.waiting.end(), &self));
    throw CatalogSemaphore::tooManyWaiting();
}

/// Afterwards the member that has waited for longest leads.
void TransactionGroups::lead(std::unique_lock<std::mutex>& lock, Member& self, std::int64_t supplierId) {
    const auto found = _queues.find(supplierId);
    Queue& queue = found->second;
    queue.isBusy = true;
    std::array<Member*, MOST_TOGETHER> members{&self};
    std::size_t count = 1;
    for (; count < members.size() && !queue.waiting.empty(); ++count) {
        members[count] = queue.waiting.front();
        members[count]->state = State::Taken;
        queue.waiting.pop_front();
    }
    const std::span group(members.data(), count);
    lock.unlock();
    const Outcome outcome = runTogether(supplierId, group);
    lock.lock();
    for (Member* const member : group) {
        member->state = outcome.state;
        member->failure = member == &self || !outcome.failure ? outcome.failure : ownCopy(outcome.failure);
        member->wake.notify_one();
    }
    if (queue.waiting.empty()) {
        _queues.erase(found);
        return;
    }
    Member& next = *queue.waiting.front();
    queue.waiting.pop_front();
    next.state = State::Leading;
    next.wake.notify_one();
}

TransactionGroups::Outcome TransactionGroups::runTogether(std::int64_t supplierId,
                                                          std::span<Member* const> group) const {
    bool failedAtWork = false;
    try {
        std::vector<TransactionWork> works;
        works.reserve(group.size());
        for (const Member* const member : group)
            works.push_back(member->work);
        _run(supplierId, works, failedAtWork);
        return {};
    } catch (...) { // each of those who went together gets it, or its own
        const bool runsAgain = failedAtWork && group.size() > 1;
        return runsAgain ? Outcome{State::Alone} : Outcome{State::Failed, std::current_exception()};
    }
}

} // namespace supplierd::host
