#include "MovingMediaStore.h"

#include <algorithm>

namespace supplierd::media {

std::unique_ptr<MediaFile> MovingMediaStore::open(std::string_view key) const {
    auto file = _current.open(key);
    return file ? std::move(file) : _other.open(key);
}

std::unique_ptr<MediaFile> MovingMediaStore::fetch(std::string_view key) const {
    auto file = _current.fetch(key);
    return file ? std::move(file) : _other.fetch(key);
}

std::optional<std::string> MovingMediaStore::signedUrl(std::string_view key, std::string_view method) const {
    for (const MediaStore* const store : {&_current, &_other})
        if (auto url = store->signedUrl(key, method); url && store->open(key))
            return url;
    return std::nullopt;
}

bool MovingMediaStore::remove(std::string_view key) {
    const bool wasInCurrent = _current.remove(key);
    return _other.remove(key) || wasInCurrent;
}

std::vector<MediaEntry> MovingMediaStore::list(std::string_view after, std::size_t limit) const {
    const auto byKey = [](const MediaEntry& a, const MediaEntry& b) { return a.key < b.key; };
    const auto current = _current.list(after, limit);
    const auto other = _other.list(after, limit);
    std::vector<MediaEntry> entries;
    std::set_union(current.begin(), current.end(), other.begin(), other.end(), std::back_inserter(entries), byKey);
    // Each has told all that it has up to its own last entry, and behind that only when it has no more.
    entries.resize(std::min(entries.size(), limit));
    return entries;
}

std::size_t MovingMediaStore::removeUnfinished(std::chrono::milliseconds olderThan) {
    return _current.removeUnfinished(olderThan) + _other.removeUnfinished(olderThan);
}

std::size_t MovingMediaStore::countUnfinished(std::chrono::milliseconds olderThan) const {
    return _current.countUnfinished(olderThan) + _other.countUnfinished(olderThan);
}

std::string MovingMediaStore::mark() const {
    const std::string current = _current.mark();
    const std::string other = _other.mark();
    if (!current.empty() && !other.empty() && current != other)
        throw MediaStoreError(MediaStoreError::Kind::Foreign,
                              "the two stores of images belong to different databases, say " + _current.markPlace() +
                                  " and " + _other.markPlace());
    return current.empty() ? other : current;
}

} // namespace supplierd::media
