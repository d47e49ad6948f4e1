#pragma once

#include "shared/ImageType.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// What the storage could not do. Since 0.1.
class MediaStoreError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        Full,
        ReadOnly,
        Unreachable,
        Refused,
        Foreign, ///< another database's, or none's
    };

    MediaStoreError(Kind kind, const std::string& what) : std::runtime_error(what), _kind(kind) {}

    Kind kind() const noexcept { return _kind; }

private:
    Kind _kind;
};

struct MediaContent {
    std::string_view bytes;
    ImageType type = ImageType::Jpeg;
};

struct MediaEntry {
    std::string key;
    std::uint64_t bytes = 0;
    std::chrono::system_clock::time_point storedAt;
};

/// A stored file, open for reading. It stays readable when the key is removed meanwhile.
class MediaFile {
public:
    virtual ~MediaFile() = default;
    virtual const MediaEntry& entry() const = 0;
    /// Up to `size` bytes from `offset`; fewer only at the end. Throws MediaStoreError.
    virtual std::string read(std::uint64_t offset, std::size_t size) const = 0;
    /// For sendfile; nothing where a store has no descriptors. Belongs to this object.
    virtual std::optional<int> descriptor() const { return std::nullopt; }
};

/// Where the files of images lie: flat, by key, written once and never changed. In the terms of an object store, so
/// that one can stand in for the file system. All functions are thread-safe and throw MediaStoreError. Since 0.1.
class MediaStore {
public:
    virtual ~MediaStore() = default;

    /// Stores files that belong together and returns their keys, in order: random, never used before, with the type's
    /// extension, good as a path below `/media/`. When it returns, they survive a power cut; when it throws, none of
    /// them is there.
    virtual std::vector<std::string> put(std::span<const MediaContent> contents) = 0;
    /// Null when there is no such file, and for anything that is not a key.
    virtual std::unique_ptr<MediaFile> open(std::string_view key) const = 0;
    /// The same for one whose bytes are wanted at once.
    virtual std::unique_ptr<MediaFile> fetch(std::string_view key) const { return open(key); }
    /// A URL that gives whoever has it the file for some time, for requests of this method ("GET", "HEAD"); nothing
    /// where a store has none. The file may be missing.
    virtual std::optional<std::string> signedUrl(std::string_view /*key*/, std::string_view /*method*/) const {
        return std::nullopt;
    }
    /// Stores a copy under the key that it has elsewhere, in place of what is there. When it returns, what is stored
    /// was compared with `bytes` and survives a power cut; when it throws, it is there whole or not at all.
    virtual void putCopy(std::string_view key, std::string_view bytes) = 0;
    /// Whether it was there, where a store knows. A power cut can bring it back: then it is an orphan.
    virtual bool remove(std::string_view key) = 0;
    /// Up to `limit` files whose key is greater than `after`, by key. Empty: there are no more. Files that come or go
    /// meanwhile may or may not be listed; the others are, once.
    virtual std::vector<MediaEntry> list(std::string_view after, std::size_t limit) const = 0;
    /// What interrupted `put` calls left behind, none of it under a key. Returns how many it removed.
    virtual std::size_t removeUnfinished(std::chrono::milliseconds olderThan) = 0;
    virtual std::size_t countUnfinished(std::chrono::milliseconds olderThan) const = 0;

    /// Looks anew for what the configuration names: something may have been mounted there. Not while other threads use
    /// the store.
    virtual void reopen() {}
    /// What setMark() wrote last, "" for nothing: whose store it is. Asks the store each time.
    virtual std::string mark() const = 0;
    virtual void setMark(std::string_view mark) = 0;
    /// Where people find it.
    virtual std::string markPlace() const = 0;
};

} // namespace supplierd::media
