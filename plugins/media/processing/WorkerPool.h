#pragma once

#include "ImageResult.h"
#include "WorkerProcess.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// It is not the image: no worker became free in time, none can be started, or the pool is stopping. Worth another
/// try later (503).
class ImageProcessingUnavailable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct WorkerPoolSettings {
    std::filesystem::path program; ///< supplierd-imageworker
    std::filesystem::path socket;  ///< one that has a worker for every connection, instead of the program; empty: none
    unsigned workers = 2;
    std::chrono::milliseconds startLimit = std::chrono::seconds(10);
    std::chrono::milliseconds imageLimit = std::chrono::seconds(5);
    /// A worker is replaced after so many images, or when it holds so much memory while it does nothing.
    unsigned imagesPerWorker = 500;
    std::size_t residentBytesPerWorker = std::size_t{256} * 1024 * 1024;
};

/// Since the pool was made; for metrics.
struct WorkerPoolCounts {
    std::uint64_t started = 0;
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t lost = 0;     ///< workers that hung, died or answered nonsense
    std::uint64_t recycled = 0; ///< workers replaced in good health
};

/// A few worker processes, each handling one image at a time. A worker that hangs, dies or answers nonsense costs its
/// image a refusal and is replaced. All functions are thread-safe. Since 0.1.
class WorkerPool {
public:
    using Deadline = std::chrono::steady_clock::time_point;

    /// Starts the workers. Throws ImageProcessingUnavailable when the program cannot be started or does not get ready.
    explicit WorkerPool(WorkerPoolSettings settings);
    /// stop(), and waits for the calls of `process` to return.
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Blocks until a worker is free (first come, first served, until `deadline`) and has answered (within the
    /// settings' imageLimit). Throws ImageProcessingUnavailable.
    ImageResult process(std::string_view image, Deadline deadline);
    /// Ends the workers; calls under way and later ones throw ImageProcessingUnavailable.
    void stop();

    WorkerPoolCounts counts() const;
    /// Of the workers that live now; none behind a socket.
    std::vector<pid_t> processIds() const;

private:
    struct Slot {
        std::unique_ptr<WorkerProcess> worker;
        bool ready = false; ///< has said hello
        unsigned images = 0;
        bool busy = false;
    };
    class Lease;

    Slot& acquire(Deadline deadline);
    void release(Slot& slot);
    std::unique_ptr<WorkerProcess> newWorker() const;
    WorkerProcess& readyWorker(Slot& slot);
    void startWorker(Slot& slot);
    void awaitWorker(Slot& slot);
    void discardWorker(Slot& slot);
    void replaceWorker(Slot& slot);
    void recycleWhenDue(Slot& slot);
    ImageResult processIn(Slot& slot, std::string_view image);
    ImageResult lose(Slot& slot, Refusal reason);
    Slot* freeSlot();
    void requireRunning() const;

    const WorkerPoolSettings _settings;
    mutable std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<Slot> _slots;
    std::list<const void*> _waiting; ///< first come, first served
    WorkerPoolCounts _counts;
    unsigned _calls = 0;
    bool _stopping = false;
};

} // namespace supplierd::media
