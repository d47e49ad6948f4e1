#include "Janitor.h"

#include <algorithm>
#include <exception>

namespace supplierd::media {

namespace {

// Between pieces, so that the walk takes no more than a part of the disk's and the database's time.
constexpr std::chrono::milliseconds PAUSE{5};
constexpr std::chrono::milliseconds SOON = std::chrono::minutes(1);

} // namespace

Janitor::Janitor(MediaLibraryService& library, std::chrono::milliseconds interval, Logger& log)
    : _library(library), _interval(interval), _log(log), _thread([this] { run(); }) {}

Janitor::~Janitor() {
    stop();
}

void Janitor::stop() {
    {
        const std::lock_guard lock(_mutex);
        _isStopping = true;
    }
    _wake.notify_all();
    if (_thread.joinable())
        _thread.join();
}

void Janitor::run() {
    auto pause = _interval;
    while (!waitFor(pause))
        pause = tidy() ? _interval : std::min(_interval, SOON);
}

bool Janitor::tidy() {
    try {
        // A little less than the interval, which no clock keeps to the millisecond.
        _hasTurn = _hasTurn || _library.takeTurn(_interval * 9 / 10);
        if (!_hasTurn)
            return true;
        const auto report = _library.tidy([this](const MediaProgress&) { return !waitFor(PAUSE); });
        _hasTurn = false;
        if (report.orphanFiles + report.leftImages + report.unfinishedFiles > 0)
            _log.information("the janitor removed files",
                             {{"orphan_files", static_cast<std::int64_t>(report.orphanFiles)},
                              {"images_of_deleted_products", static_cast<std::int64_t>(report.leftImages)},
                              {"unfinished_files", static_cast<std::int64_t>(report.unfinishedFiles)},
                              {"bytes", static_cast<std::int64_t>(report.bytesFreed)}});
        return true;
    } catch (const std::exception& failure) {
        _log.warning("the janitor could not do its work and comes again", {{"reason", std::string(failure.what())}});
        return false;
    }
}

bool Janitor::waitFor(std::chrono::milliseconds duration) {
    std::unique_lock lock(_mutex);
    return _wake.wait_for(lock, duration, [this] { return _isStopping; });
}

} // namespace supplierd::media
