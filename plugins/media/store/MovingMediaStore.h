#pragma once

#include "MediaStore.h"

namespace supplierd::media {

/// Two stores while files move from one to the other: new ones go to `current`, all are found wherever they are, and
/// removed from both. Of a file that both have it counts what `current` has. Thread: any. Lifetime: both outlive it.
class MovingMediaStore final : public MediaStore {
public:
    MovingMediaStore(MediaStore& current, MediaStore& other) : _current(current), _other(other) {}

    std::vector<std::string> put(std::span<const MediaContent> contents) override { return _current.put(contents); }
    std::unique_ptr<MediaFile> open(std::string_view key) const override;
    std::unique_ptr<MediaFile> fetch(std::string_view key) const override;
    /// Only of a file that is there: asks the store.
    std::optional<std::string> signedUrl(std::string_view key, std::string_view method) const override;
    void putCopy(std::string_view key, std::string_view bytes) override { _current.putCopy(key, bytes); }
    bool remove(std::string_view key) override;
    std::vector<MediaEntry> list(std::string_view after, std::size_t limit) const override;
    std::size_t removeUnfinished(std::chrono::milliseconds olderThan) override;
    std::size_t countUnfinished(std::chrono::milliseconds olderThan) const override;
    void reopen() override {
        _current.reopen();
        _other.reopen();
    }
    /// That of the one that has one. Throws MediaStoreError (Foreign) when they have different ones.
    std::string mark() const override;
    void setMark(std::string_view mark) override { _current.setMark(mark); }
    std::string markPlace() const override { return _current.markPlace(); }

private:
    MediaStore& _current;
    MediaStore& _other;
};

} // namespace supplierd::media
