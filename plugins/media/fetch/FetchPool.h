#pragma once

#include "FetchError.h"
#include "ImageFetcher.h"

#include <supplierd/StopSignal.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace supplierd::media {

/// What became of one URL.
using FetchOutcome = std::variant<FetchedImage, FetchError>;

/// Both at least 1.
struct FetchPoolLimits {
    /// Fetches at once in the whole server; as many threads.
    unsigned parallel = 16;
    /// Fetches at once of one supplier.
    unsigned parallelPerSupplier = 4;
};

/// Fetches the images of many requests in parallel. A free thread goes to the supplier that has the fewest fetches
/// running, so that one with many slow URLs does not keep the others waiting. Thread: any.
class FetchPool {
public:
    /// Called once per URL, with its position in `urls`; from several threads at once.
    using OnOutcome = std::function<void(std::size_t position, FetchOutcome outcome)>;

    /// Called after each fetch, successful or not, with the time it took; from several threads at once.
    using OnFetched = std::function<void(std::chrono::duration<double> took)>;

    FetchPool(std::shared_ptr<const ImageFetcher> fetcher, FetchPoolLimits limits, OnFetched onFetched = {});
    /// Stops.
    ~FetchPool();
    FetchPool(const FetchPool&) = delete;
    FetchPool& operator=(const FetchPool&) = delete;

    /// Hands each image over as soon as it is there, and returns when `onOutcome` has returned for all of them. What is
    /// not there by `deadline` is a FetchError (Timeout). While `onOutcome` runs its fetch counts as running: images
    /// that are worked on there never pile up. When it throws, the first of its exceptions is thrown again at the end.
    void fetchEach(std::int64_t supplierId, const std::vector<std::string>& urls,
                   ImageFetcher::Clock::time_point deadline, const OnOutcome& onOutcome);

    /// All outcomes, in the order of `urls`.
    std::vector<FetchOutcome> fetchAll(std::int64_t supplierId, const std::vector<std::string>& urls,
                                       ImageFetcher::Clock::time_point deadline);

    /// Ends all that runs and waits, with FetchError (Stopped), and every later call too. Returns when the threads have
    /// ended. Not to be called from `onOutcome`.
    void stop();

private:
    struct Batch;
    struct Job {
        Batch* batch;
        std::size_t position;
        std::string url;
    };

    void work();
    /// The job that is next, taken out of the queue; the lock is held.
    std::list<Job> takeNext();
    void run(const Job& job);
    /// Takes what has not begun out of the queue; the lock is held.
    std::list<Job> withdraw(const Batch& batch);
    static void deliver(Batch& batch, std::size_t position, FetchOutcome outcome);

    const std::shared_ptr<const ImageFetcher> _fetcher;
    const FetchPoolLimits _limits;
    const OnFetched _onFetched;
    StopSignal _stop;
    std::mutex _mutex;
    std::condition_variable _work;
    std::list<Job> _queue;
    std::map<std::int64_t, unsigned> _running;
    std::mutex _stopping;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::media
