#include "FetchPool.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <iterator>
#include <optional>

namespace supplierd::media {
namespace {

constexpr int NICENESS = 10; // a page of the API comes before a picture

/// Linux has a priority for each thread; a batch thread does not take the processor from another when it wakes up.
/// Where these cannot be had, images merely take more from the others.
void stepBack() {
    constexpr sched_param none{};
    ::sched_setscheduler(0, SCHED_BATCH, &none);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), NICENESS);
}

} // namespace

/// One call of fetchEach(), on its stack.
struct FetchPool::Batch {
    std::int64_t supplierId;
    ImageFetcher::Clock::time_point deadline;
    const OnOutcome& onOutcome;
    std::size_t open = 0;         ///< jobs in the queue or running; guarded by FetchPool::_mutex
    std::condition_variable done; ///< `open` became 0, or the pool stops

    std::mutex failureMutex;
    std::exception_ptr failure;
};

FetchPool::FetchPool(std::shared_ptr<const ImageFetcher> fetcher, FetchPoolLimits limits, OnFetched onFetched)
    : _fetcher(std::move(fetcher)), _limits(limits), _onFetched(std::move(onFetched)) {
    try {
        for (unsigned i = 0; i < _limits.parallel; ++i)
            _threads.emplace_back([this] { work(); });
    } catch (...) {
        stop();
        throw;
    }
}

FetchPool::~FetchPool() {
    stop();
}

void FetchPool::stop() {
    {
        const std::lock_guard lock(_mutex);
        _stop.raise();
        for (const Job& job : _queue)
            job.batch->done.notify_all();
        _work.notify_all();
    }
    const std::lock_guard lock(_stopping);
    for (auto& thread : _threads)
        thread.join();
    _threads.clear();
}

void FetchPool::fetchEach(std::int64_t supplierId, const std::vector<std::string>& urls,
                          ImageFetcher::Clock::time_point deadline, const OnOutcome& onOutcome) {
    Batch batch{supplierId, deadline, onOutcome, 0, {}, {}, {}};
    std::list<Job> jobs;
    for (std::size_t i = 0; i < urls.size(); ++i) {
        std::optional<FetchError> problem;
        try {
            _fetcher->check(urls[i]);
            jobs.push_back({&batch, i, urls[i]});
        } catch (const FetchError& refused) {
            problem = refused;
        }
        if (problem)
            deliver(batch, i, *std::move(problem));
    }

    std::unique_lock lock(_mutex);
    batch.open = jobs.size();
    _queue.splice(_queue.end(), jobs);
    _work.notify_all();
    batch.done.wait_until(lock, deadline, [&] { return batch.open == 0 || _stop.isRaised(); });
    const std::list<Job> late = withdraw(batch);
    batch.open -= late.size();
    lock.unlock();
    for (const Job& job : late)
        deliver(batch, job.position, _stop.isRaised() ? FetchError::stopped() : FetchError::timeout());
    lock.lock();
    batch.done.wait(lock, [&] { return batch.open == 0; });
    if (batch.failure)
        std::rethrow_exception(batch.failure);
}

std::vector<FetchOutcome> FetchPool::fetchAll(std::int64_t supplierId, const std::vector<std::string>& urls,
                                              ImageFetcher::Clock::time_point deadline) {
    std::vector<FetchOutcome> outcomes(urls.size(), FetchOutcome(FetchError::timeout()));
    fetchEach(supplierId, urls, deadline,
              [&](std::size_t position, FetchOutcome outcome) { outcomes[position] = std::move(outcome); });
    return outcomes;
}

void FetchPool::work() {
    stepBack();
    std::unique_lock lock(_mutex);
    for (;;) {
        std::list<Job> taken;
        _work.wait(lock, [&] { return _stop.isRaised() || !(taken = takeNext()).empty(); });
        if (taken.empty())
            return;
        Batch& batch = *taken.front().batch;
        const auto running = _running.try_emplace(batch.supplierId, 0).first;
        ++running->second;
        lock.unlock();
        run(taken.front());
        lock.lock();
        if (--running->second == 0)
            _running.erase(running);
        if (--batch.open == 0)
            batch.done.notify_all(); // under the lock: the batch goes as soon as its caller sees it
        _work.notify_one();
    }
}

std::list<FetchPool::Job> FetchPool::takeNext() {
    auto best = _queue.end();
    unsigned fewest = _limits.parallelPerSupplier;
    for (auto job = _queue.begin(); job != _queue.end(); ++job) {
        const auto running = _running.find(job->batch->supplierId);
        const unsigned count = running == _running.end() ? 0 : running->second;
        if (count < fewest) {
            best = job;
            fewest = count;
        }
    }
    std::list<Job> taken;
    if (best != _queue.end())
        taken.splice(taken.end(), _queue, best);
    return taken;
}

void FetchPool::run(const Job& job) {
    Batch& batch = *job.batch;
    std::optional<FetchOutcome> outcome;
    const auto begin = ImageFetcher::Clock::now();
    try {
        outcome = _fetcher->fetch(job.url, batch.deadline, &_stop);
    } catch (const FetchError& problem) {
        outcome = problem;
    } catch (...) {
        const std::lock_guard lock(batch.failureMutex);
        if (!batch.failure)
            batch.failure = std::current_exception();
        return;
    }
    if (_onFetched)
        _onFetched(ImageFetcher::Clock::now() - begin);
    deliver(batch, job.position, *std::move(outcome));
}

std::list<FetchPool::Job> FetchPool::withdraw(const Batch& batch) {
    std::list<Job> withdrawn;
    for (auto job = _queue.begin(); job != _queue.end();) {
        const auto next = std::next(job);
        if (job->batch == &batch)
            withdrawn.splice(withdrawn.end(), _queue, job);
        job = next;
    }
    return withdrawn;
}

void FetchPool::deliver(Batch& batch, std::size_t position, FetchOutcome outcome) {
    try {
        batch.onOutcome(position, std::move(outcome));
    } catch (...) {
        const std::lock_guard lock(batch.failureMutex);
        if (!batch.failure)
            batch.failure = std::current_exception();
    }
}

} // namespace supplierd::media
