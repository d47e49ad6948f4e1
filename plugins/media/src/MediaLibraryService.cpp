#include "MediaLibraryService.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace supplierd::media {

namespace {

// Between pieces, so that the walk takes no more than a part of the disk's and the database's time.
constexpr std::chrono::milliseconds PAUSE{5};

} // namespace

MediaReport MediaLibraryService::verify(bool repair, const std::function<bool(const MediaProgress&)>& progress) {
    if (repair && _hold.isInForce())
        throw std::runtime_error(
            "a backup is being made, which needs every file; try again when it is done (one that was "
            "killed holds for a quarter of an hour)");
    _move.storeId.require(_dependencies.store);
    StoreConsistencyCheck check(_dependencies, repair, progress);
    check.requireStore();
    if (check.checkFiles() && check.checkImages(false))
        check.checkProducts();
    return check.report();
}

MediaMoveReport MediaLibraryService::move(const MediaMove& wish,
                                          const std::function<bool(const MediaProgress&)>& progress) {
    const auto to = storeKindOf(wish.to);
    if (!to)
        throw std::runtime_error("images move to \"s3\" or \"folder\", not to \"" + wish.to + "\"");
    _move.storeId.require(_dependencies.store);
    return StoreMove(_move, *to, progress).run(wish.clean);
}

void MediaLibraryService::tidy(JobRun& run, Logger& log) {
    _move.storeId.require(_dependencies.store);
    const StoreConsistencyCheck::Progress progress = [&run](const MediaProgress&) {
        std::this_thread::sleep_for(PAUSE);
        run.throwIfStopped();
        return true;
    };
    if (_hold.isInForce()) {
        run.report("a backup is being made, which needs every file: nothing was removed");
        return;
    }
    StoreConsistencyCheck check(_dependencies, true, progress);
    check.checkFiles();
    check.checkImages(true);
    const MediaReport& report = check.report();
    run.report("removed " + std::to_string(report.orphanFiles) + " files without an image and " +
               std::to_string(report.leftImages) + " images of deleted products");
    if (report.orphanFiles + report.leftImages + report.unfinishedFiles > 0)
        log.information("the janitor removed files",
                        {{"orphan_files", static_cast<std::int64_t>(report.orphanFiles)},
                         {"images_of_deleted_products", static_cast<std::int64_t>(report.leftImages)},
                         {"unfinished_files", static_cast<std::int64_t>(report.unfinishedFiles)},
                         {"bytes", static_cast<std::int64_t>(report.bytesFreed)}});
}

} // namespace supplierd::media
