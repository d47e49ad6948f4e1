#pragma once

#include "S3Client.h"

namespace supplierd::media {

/// Objects in a bucket, under the keys that files have in a folder. An object is there whole or not at all, so nothing
/// is ever unfinished. What is sent is compared by the store (Content-MD5) and here (ETag); what is fetched, with the
/// SHA-256 that was stored beside it. Thread: any.
class S3MediaStore final : public MediaStore {
public:
    explicit S3MediaStore(const S3Settings& settings, S3Client::Observer observer = {});

    std::vector<std::string> put(std::span<const MediaContent> contents) override;
    /// Asks for the size; the bytes come with the first read().
    std::unique_ptr<MediaFile> open(std::string_view key) const override;
    std::unique_ptr<MediaFile> fetch(std::string_view key) const override;
    std::optional<std::string> signedUrl(std::string_view key, std::string_view method) const override;
    void putCopy(std::string_view key, std::string_view bytes) override;
    /// Always true for a key: an object store does not tell.
    bool remove(std::string_view key) override;
    std::vector<MediaEntry> list(std::string_view after, std::size_t limit) const override;
    std::size_t removeUnfinished(std::chrono::milliseconds) override { return 0; }
    std::size_t countUnfinished(std::chrono::milliseconds) const override { return 0; }
    std::string mark() const override;
    void setMark(std::string_view mark) override;
    std::string markPlace() const override;

    /// By how much the store's clock is ahead of this host's, to the second; asks it.
    std::chrono::seconds clockDifference() const;

private:
    class Object;
    struct Place;
    struct Page;

    std::string objectName(std::string_view key) const;
    S3Response get(std::string_view key) const;
    void store(std::string_view key, std::string_view bytes, const std::string& type);
    Page page(const Place& place, std::size_t limit) const;

    const S3Client _client;
};

} // namespace supplierd::media
