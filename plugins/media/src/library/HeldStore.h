#pragma once

#include "MediaStore.h"
#include "library/RemovalHold.h"

namespace supplierd::media {

/// The store, whose files stay while a backup holds removals back: remove() does nothing then, and leaves them to the
/// janitor. Throws MediaStoreError when nobody can tell whether one does. Thread: any.
class HeldStore final : public MediaStore {
public:
    HeldStore(MediaStore& store, const RemovalHold& hold) : _store(store), _hold(hold) {}

    std::vector<std::string> put(std::span<const MediaContent> contents) override { return _store.put(contents); }
    std::unique_ptr<MediaFile> open(std::string_view key) const override { return _store.open(key); }
    std::unique_ptr<MediaFile> fetch(std::string_view key) const override { return _store.fetch(key); }
    std::optional<std::string> signedUrl(std::string_view key, std::string_view method) const override {
        return _store.signedUrl(key, method);
    }
    void putCopy(std::string_view key, std::string_view bytes) override { _store.putCopy(key, bytes); }
    bool remove(std::string_view key) override;
    std::vector<MediaEntry> list(std::string_view after, std::size_t limit) const override {
        return _store.list(after, limit);
    }
    std::size_t removeUnfinished(std::chrono::milliseconds olderThan) override {
        return _store.removeUnfinished(olderThan);
    }
    std::size_t countUnfinished(std::chrono::milliseconds olderThan) const override {
        return _store.countUnfinished(olderThan);
    }
    void reopen() override { _store.reopen(); }
    std::string mark() const override { return _store.mark(); }
    void setMark(std::string_view mark) override { _store.setMark(mark); }
    std::string markPlace() const override { return _store.markPlace(); }

private:
    MediaStore& _store;
    const RemovalHold& _hold;
};

} // namespace supplierd::media
