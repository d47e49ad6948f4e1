#include "WorkerPool.h"

#include "shared/ImageLimits.h"

#include <algorithm>
#include <system_error>

namespace supplierd::media {
namespace {

std::string failureText(const std::exception& failure) {
    return std::string("no image worker gets ready: ") + failure.what();
}

} // namespace

/// A slot of its own for one call; given back whatever happens.
class WorkerPool::Lease {
public:
    Lease(WorkerPool& pool, Deadline deadline) : _pool(pool), _slot(pool.acquire(deadline)) {}
    ~Lease() { _pool.release(_slot); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Slot& slot() const { return _slot; }

private:
    WorkerPool& _pool;
    Slot& _slot;
};

WorkerPool::WorkerPool(WorkerPoolSettings settings) : _settings(std::move(settings)), _slots(_settings.workers) {
    if (_slots.empty())
        throw std::invalid_argument("a pool needs a worker");
    try {
        for (auto& slot : _slots)
            slot.worker = newWorker();
        for (auto& slot : _slots)
            awaitWorker(slot);
    } catch (const std::exception& failure) {
        throw ImageProcessingUnavailable(failureText(failure));
    }
    _counts.started = _slots.size();
}

WorkerPool::~WorkerPool() {
    stop();
    std::unique_lock lock(_mutex);
    _changed.wait(lock, [this] { return _calls == 0; });
}

ImageResult WorkerPool::process(std::string_view image, Deadline deadline) {
    if (image.size() > MAX_IMAGE_BYTES)
        return ImageRefusal{Refusal::TooLarge};
    if (!imageTypeOf(image))
        return ImageRefusal{Refusal::UnknownType};
    const Lease lease(*this, deadline);
    return processIn(lease.slot(), image);
}

void WorkerPool::stop() {
    const std::lock_guard lock(_mutex);
    _stopping = true;
    for (const auto& slot : _slots)
        if (slot.worker)
            slot.worker->kill();
    _changed.notify_all();
}

WorkerPoolCounts WorkerPool::counts() const {
    const std::lock_guard lock(_mutex);
    return _counts;
}

std::vector<pid_t> WorkerPool::processIds() const {
    const std::lock_guard lock(_mutex);
    std::vector<pid_t> ids;
    for (const auto& slot : _slots)
        if (slot.worker && slot.worker->processId() >= 0)
            ids.push_back(slot.worker->processId());
    return ids;
}

WorkerPool::Slot& WorkerPool::acquire(Deadline deadline) {
    std::unique_lock lock(_mutex);
    requireRunning();
    ++_calls;
    const auto place = _waiting.insert(_waiting.end(), &lock);
    const bool inTime = _changed.wait_until(
        lock, deadline, [&] { return _stopping || (_waiting.begin() == place && freeSlot() != nullptr); });
    _waiting.erase(place);
    _changed.notify_all(); // the next one is first now
    if (_stopping || !inTime) {
        --_calls;
        requireRunning();
        throw ImageProcessingUnavailable("all image workers are busy");
    }
    auto& slot = *freeSlot();
    slot.busy = true;
    return slot;
}

void WorkerPool::release(Slot& slot) {
    const std::lock_guard lock(_mutex);
    slot.busy = false;
    --_calls;
    _changed.notify_all();
}

ImageResult WorkerPool::processIn(Slot& slot, std::string_view image) {
    const auto& worker = readyWorker(slot);
    try {
        auto result = worker.process(image, std::chrono::steady_clock::now() + _settings.imageLimit);
        {
            const std::lock_guard lock(_mutex);
            ++(std::holds_alternative<ProcessedImage>(result) ? _counts.accepted : _counts.refused);
        }
        recycleWhenDue(slot);
        return result;
    } catch (const ChannelTimeout&) {
        return lose(slot, Refusal::TooSlow);
    } catch (const ChannelClosed&) {
        return lose(slot, Refusal::Undecodable);
    } catch (const WorkerNonsense&) {
        return lose(slot, Refusal::Undecodable);
    } catch (const std::system_error& failure) {
        discardWorker(slot);
        throw ImageProcessingUnavailable(failure.what());
    }
}

/// A worker that ended while it had nothing to do is no image's fault.
WorkerProcess& WorkerPool::readyWorker(Slot& slot) {
    if (slot.worker && slot.ready && !slot.worker->isIdle())
        discardWorker(slot);
    try {
        if (!slot.worker)
            startWorker(slot);
        if (!slot.ready)
            awaitWorker(slot);
        if (!slot.worker->isIdle()) { // it had said hello and ended before its first image
            discardWorker(slot);
            startWorker(slot);
            awaitWorker(slot);
        }
    } catch (const ImageProcessingUnavailable&) {
        throw;
    } catch (const std::exception& failure) {
        discardWorker(slot);
        throw ImageProcessingUnavailable(failureText(failure));
    }
    return *slot.worker;
}

std::unique_ptr<WorkerProcess> WorkerPool::newWorker() const {
    if (_settings.socket.empty())
        return std::make_unique<WorkerProcess>(_settings.program);
    return WorkerProcess::behind(_settings.socket, std::chrono::ceil<std::chrono::seconds>(_settings.startLimit));
}

void WorkerPool::startWorker(Slot& slot) {
    auto worker = newWorker();
    const std::lock_guard lock(_mutex);
    requireRunning();
    slot.worker = std::move(worker);
    slot.ready = false;
    slot.images = 0;
    ++_counts.started;
}

void WorkerPool::awaitWorker(Slot& slot) {
    slot.worker->awaitHello(std::chrono::steady_clock::now() + _settings.startLimit);
    slot.ready = true;
}

void WorkerPool::discardWorker(Slot& slot) {
    std::unique_ptr<WorkerProcess> ended; // collected outside the lock
    const std::lock_guard lock(_mutex);
    ended = std::move(slot.worker);
}

/// The next image finds a worker that has had time to start. One that cannot be started is the next call's to report.
void WorkerPool::replaceWorker(Slot& slot) {
    discardWorker(slot);
    try {
        startWorker(slot);
    } catch (const std::system_error&) {
        return;
    } catch (const ImageProcessingUnavailable&) { // stop() came between
        return;
    }
}

void WorkerPool::recycleWhenDue(Slot& slot) {
    ++slot.images;
    if (slot.images < _settings.imagesPerWorker && slot.worker->residentBytes() < _settings.residentBytesPerWorker)
        return;
    {
        const std::lock_guard lock(_mutex);
        if (_stopping)
            return;
        ++_counts.recycled;
    }
    replaceWorker(slot);
}

ImageResult WorkerPool::lose(Slot& slot, Refusal reason) {
    {
        const std::lock_guard lock(_mutex);
        requireRunning(); // stop() killed it: not the image's fault
        ++_counts.lost;
        ++_counts.refused;
    }
    replaceWorker(slot);
    return ImageRefusal{reason};
}

WorkerPool::Slot* WorkerPool::freeSlot() {
    const auto found = std::find_if(_slots.begin(), _slots.end(), [](const Slot& slot) { return !slot.busy; });
    return found == _slots.end() ? nullptr : &*found;
}

void WorkerPool::requireRunning() const {
    if (_stopping)
        throw ImageProcessingUnavailable("image processing is stopping");
}

} // namespace supplierd::media
