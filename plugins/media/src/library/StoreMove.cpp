#include "library/StoreMove.h"

#include "library/Parallel.h"

#include <atomic>
#include <stdexcept>

namespace supplierd::media {

namespace {

constexpr std::size_t FILES_AT_ONCE = 500;

constexpr std::string_view COUNT_FILES = "SELECT 2 * COUNT(*) FROM product_images";

StoreKind otherThan(StoreKind kind) {
    return kind == StoreKind::S3 ? StoreKind::Folder : StoreKind::S3;
}

} // namespace

StoreMove::StoreMove(const Dependencies& dependencies, StoreKind to, const WalkProgress& progress)
    : _dependencies(dependencies),
      _kind(to),
      _from(dependencies.stores.of(otherThan(to))),
      _to(dependencies.stores.of(to)),
      _progress(progress) {}

void StoreMove::run(bool clean) {
    const bool isCurrent = _dependencies.settings.store == _kind;
    if (clean && !isCurrent)
        throw std::runtime_error("nothing was removed or copied: new images still go to the other store; set "
                                 "plugins.media.store = \"" +
                                 std::string(storeKindName(_kind)) + "\" and restart the servers first");
    requireOurs();
    copyAll();
    if (isCurrent && _to.mark().empty())
        _to.setMark(_dependencies.storeId.value());
    if (clean)
        cleanAll();
    _report.next = nextStep(clean);
}

void StoreMove::requireOurs() const {
    const std::string& id = _dependencies.storeId.value();
    if (id.empty())
        throw std::runtime_error("this database has no store of images yet: start the server once");
    for (const MediaStore* const store : {&_from, &_to})
        if (const std::string mark = store->mark(); !mark.empty() && mark != id)
            throw std::runtime_error("nothing was copied: the store belongs to another database, says " +
                                     store->markPlace());
}

void StoreMove::copyAll() {
    const std::uint64_t total = _dependencies.database.read([](SqlSession& session) {
        Rows& row = session.query(COUNT_FILES);
        return row.next() ? static_cast<std::uint64_t>(row.integer(0)) : std::uint64_t{0};
    });
    std::string after;
    for (;;) {
        _progress("files", _report.files, std::max(total, _report.files));
        const auto files = _from.list(after, FILES_AT_ONCE);
        if (files.empty())
            return;
        const auto sizes = sizesAtTarget(after, files.back().key);
        std::vector<MediaEntry> missing;
        for (const MediaEntry& file : files)
            if (const auto there = sizes.find(file.key); there == sizes.end() || there->second != file.bytes)
                missing.push_back(file);
        copyEach(missing);
        _report.files += files.size();
        _report.alreadyThere += files.size() - missing.size();
        after = files.back().key;
    }
}

std::map<std::string, std::uint64_t> StoreMove::sizesAtTarget(const std::string& after, const std::string& last) const {
    std::map<std::string, std::uint64_t> sizes;
    std::string place = after;
    for (;;) {
        const auto files = _to.list(place, FILES_AT_ONCE);
        for (const MediaEntry& file : files)
            if (file.key <= last)
                sizes.emplace(file.key, file.bytes);
        if (files.empty() || files.back().key >= last)
            return sizes;
        place = files.back().key;
    }
}

void StoreMove::copyEach(const std::vector<MediaEntry>& files) {
    std::atomic<std::uint64_t> copied = 0;
    std::atomic<std::uint64_t> bytes = 0;
    forEachInParallel(files.size(), [&](std::size_t i) {
        const auto file = _from.fetch(files[i].key);
        if (!file)
            return; // its image was deleted meanwhile
        _to.putCopy(files[i].key, file->read(0, file->entry().bytes));
        ++copied;
        bytes += file->entry().bytes;
    });
    _report.copied += copied;
    _report.copiedBytes += bytes;
}

void StoreMove::cleanAll() {
    std::string after;
    for (std::uint64_t done = 0;;) {
        _progress("removed files", done, _report.files);
        const auto files = _from.list(after, FILES_AT_ONCE);
        if (files.empty())
            break;
        const auto sizes = sizesAtTarget(after, files.back().key);
        std::atomic<std::uint64_t> removed = 0;
        forEachInParallel(files.size(), [&](std::size_t i) {
            const auto there = sizes.find(files[i].key);
            if (there != sizes.end() && there->second == files[i].bytes && _from.remove(files[i].key))
                ++removed;
        });
        _report.removed += removed;
        done += files.size();
        after = files.back().key;
    }
    // Whoever configures it again by mistake is told so, instead of serving nothing.
    if (!_dependencies.settings.isMoving && _from.list({}, 1).empty() && !_from.mark().empty())
        _from.setMark({});
}

std::string StoreMove::nextStep(bool clean) const {
    const std::string to(storeKindName(_kind));
    if (_dependencies.settings.store != _kind)
        return "new images still go to the other store: set plugins.media.store = \"" + to +
               "\" and moving = true, restart the servers, and run this again";
    if (_dependencies.settings.isMoving)
        return "once every server uses \"" + to + "\", set plugins.media.moving = false and restart them";
    if (!clean)
        return "the other store is as it was; empty it with: supplierctl media move --to " + to + " --clean";
    return {};
}

} // namespace supplierd::media
