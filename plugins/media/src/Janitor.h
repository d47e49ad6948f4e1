#pragma once

#include "MediaLibraryService.h"

#include <supplierd/Log.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace supplierd::media {

/// Tidies the store from time to time, on a thread of its own. What stands in its way (the database is away, the store
/// cannot be written) is logged, and it comes again soon. Thread: any.
class Janitor {
public:
    Janitor(MediaLibraryService& library, std::chrono::milliseconds interval, Logger& log);
    /// Stops.
    ~Janitor();
    Janitor(const Janitor&) = delete;
    Janitor& operator=(const Janitor&) = delete;

    /// Returns when the thread has ended, in the middle of its work if need be.
    void stop();

private:
    void run();
    /// False when it has to come again soon.
    bool tidy();
    /// True when it is time to stop.
    bool waitFor(std::chrono::milliseconds duration);

    MediaLibraryService& _library;
    const std::chrono::milliseconds _interval;
    Logger& _log;
    std::mutex _mutex;
    std::condition_variable _wake;
    bool _isStopping = false;
    /// A turn was taken and its work is not done.
    bool _hasTurn = false;
    std::thread _thread;
};

} // namespace supplierd::media
