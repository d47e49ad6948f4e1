#include "MediaLibraryService.h"

namespace supplierd::media {

namespace {

constexpr std::string_view TAKE_TURN = R"(
UPDATE media_turns SET taken_at = NOW(6)
WHERE name = 'janitor' AND taken_at <= NOW(6) - INTERVAL ? * 1000 MICROSECOND)";

} // namespace

MediaReport MediaLibraryService::verify(bool repair, const std::function<bool(const MediaProgress&)>& progress) {
    LibraryCheck check(_parts, repair, progress);
    check.requireStore();
    if (check.checkFiles() && check.checkImages(false))
        check.checkProducts();
    return check.report();
}

MediaReport MediaLibraryService::tidy(const std::function<bool(const MediaProgress&)>& progress) {
    LibraryCheck check(_parts, true, progress);
    if (check.checkFiles())
        check.checkImages(true);
    return check.report();
}

bool MediaLibraryService::takeTurn(std::chrono::milliseconds interval) {
    bool isMine = false;
    _parts.database.withTransaction(
        [&](Transaction& transaction) { isMine = transaction.execute(TAKE_TURN, {interval.count()}) > 0; });
    return isMine;
}

} // namespace supplierd::media
