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

std::unique_ptr<MediaFile> openFile(const MediaStore& store, const std::string& key, Logger& log) {
    try {
        return store.open(key);
    } catch (const MediaStoreError& failure) {
        log.error("a file cannot be read", {{"reason", std::string(failure.what())}});
        throw ApiError::unavailable("The file cannot be read now");
    }
}

} // namespace

Response sendFile(Request& request, const MediaStore& store, Logger& log) {
    std::string key(request.pathText("a"));
    key.append("/").append(request.pathText("b")).append("/").append(request.pathText("name"));
    const auto type = typeOfKey(key);
    auto file = type ? openFile(store, key, log) : nullptr;
    if (!file)
        throw ApiError::notFound("There is no such file");
    Response response = Response::of(std::make_shared<StoredContent>(std::move(file)), std::string(mediaType(*type)));
    // A file never changes, so its name says all that is to be said of its bytes.
    const std::string name = key.substr(FOLDER_LENGTH + 1);
    response.header("ETag", '"' + name.substr(0, name.find('.')) + '"');
    response.header("Cache-Control", std::string(CACHE_CONTROL));
    return response;
}

} // namespace supplierd::media
