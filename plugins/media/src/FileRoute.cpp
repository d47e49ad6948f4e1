#include "FileRoute.h"

#include "MediaKey.h"

#include <supplierd/Errors.h>
#include <supplierd/Response.h>

namespace supplierd::media {

namespace {

constexpr std::string_view CACHE_CONTROL = "public, max-age=31536000, immutable";

class StoredContent final : public Content {
public:
    explicit StoredContent(std::unique_ptr<MediaFile> file) : _file(std::move(file)) {}

    std::uint64_t size() const override { return _file->entry().bytes; }
    std::string read(std::uint64_t offset, std::size_t size) const override { return _file->read(offset, size); }
    int descriptor() const override { return _file->descriptor().value_or(-1); }

private:
    std::unique_ptr<MediaFile> _file;
};

constexpr int FILE_RETRY_SECONDS = 5;

ApiError cannotBeRead() {
    return ApiError::unavailable("The file cannot be read now").withRetryAfter(FILE_RETRY_SECONDS);
}

ApiError notFound() {
    return ApiError::notFound("There is no such file");
}

/// What of the store's `ask` throws is a 503.
template <class Ask>
auto asked(const FileSource& source, const Ask& ask) {
    try {
        source.storeId.require(source.store);
        auto answer = ask();
        source.outage.worked(StoreOutage::Use::Reading);
        return answer;
    } catch (const MediaStoreError& failure) {
        source.outage.failed(StoreOutage::Use::Reading, failure);
        throw cannotBeRead();
    }
}

/// Who asks only whether it has changed, or how long it is, gets no bytes: then none are fetched.
std::unique_ptr<MediaFile> openFile(const Request& request, const MediaStore& store, const std::string& key) {
    const bool wantsBytes = request.head().method() != "HEAD" && !request.header("If-None-Match");
    return wantsBytes ? store.fetch(key) : store.open(key);
}

/// Good for as long as the shortest rest of what the URL is good for.
Response leadTo(std::string url, std::chrono::seconds expiry) {
    Response response = Response::redirect(std::move(url), 302);
    response.addHeader("Cache-Control", "public, max-age=" + std::to_string(expiry.count() / 4));
    return response;
}

} // namespace

Response sendFile(Request& request, const FileSource& source) {
    const std::string key = keyOf(request);
    const auto type = typeOfKey(key);
    if (type && source.urlExpiry) {
        if (!source.knownFiles.contains(key))
            throw notFound();
        if (auto url = asked(source, [&] { return source.store.signedUrl(key, request.head().method()); }))
            return leadTo(*std::move(url), *source.urlExpiry);
    }
    auto file = type ? asked(source, [&] { return openFile(request, source.store, key); }) : nullptr;
    if (!file)
        throw notFound();
    Response response = storedFile(std::move(file));
    // A file never changes, so its name says all that is to be said of its bytes.
    const std::string name = key.substr(FOLDER_LENGTH + 1);
    response.addHeader("ETag", '"' + name.substr(0, name.find('.')) + '"');
    response.addHeader("Cache-Control", std::string(CACHE_CONTROL));
    return response;
}

std::string keyOf(const Request& request) {
    std::string key(request.pathText("a"));
    return key.append("/").append(request.pathText("b")).append("/").append(request.pathText("name"));
}

Response storedFile(std::unique_ptr<MediaFile> file) {
    const auto type = typeOfKey(file->entry().key);
    return Response::of(std::make_shared<StoredContent>(std::move(file)), std::string(mediaType(type.value())));
}

} // namespace supplierd::media
