#include <supplierd/Assets.h>
#include <supplierd/Errors.h>
#include <supplierd/Gzip.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

namespace supplierd {

namespace {

class AssetContent final : public Content {
public:
    explicit AssetContent(std::string_view bytes) : _bytes(bytes) {}

    std::uint64_t size() const override { return _bytes.size(); }
    std::string read(std::uint64_t offset, std::size_t size) const override {
        return std::string(_bytes.substr(static_cast<std::size_t>(offset), size));
    }

private:
    std::string_view _bytes;
};

/// Bytes of its own.
class CompressedContent final : public Content {
public:
    explicit CompressedContent(std::shared_ptr<const std::string> bytes) : _bytes(std::move(bytes)) {}

    std::uint64_t size() const override { return _bytes->size(); }
    std::string read(std::uint64_t offset, std::size_t size) const override {
        return _bytes->substr(static_cast<std::size_t>(offset), size);
    }

private:
    std::shared_ptr<const std::string> _bytes;
};

constexpr std::size_t LEAST_COMPRESSED = 1'024;
/// Of zlib: each is compressed once.
constexpr int SMALLEST = 9;

bool isText(std::string_view type) {
    return type.starts_with("text/") || type.starts_with("application/json") || type.starts_with("image/svg") ||
           type.starts_with("application/manifest") || type.starts_with("application/xml");
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> TYPES = {{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
    {".xml", "application/xml"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".pdf", "application/pdf"},
}};

} // namespace

std::string_view contentTypeOf(std::string_view fileName) {
    const auto found =
        std::find_if(TYPES.begin(), TYPES.end(), [&](const auto& type) { return fileName.ends_with(type.first); });
    return found == TYPES.end() ? std::string_view("application/octet-stream") : found->second;
}

struct Assets::Compressed {
    std::mutex mutex;
    std::map<const EmbeddedAsset*, std::shared_ptr<const std::string>> bytes;
};

Assets::Assets(std::span<const EmbeddedAsset> assets, std::string cacheControl)
    : _assets(assets), _cacheControl(std::move(cacheControl)), _compressed(std::make_shared<Compressed>()) {}

const EmbeddedAsset* Assets::find(std::string_view path) const {
    const std::string file = path.empty() || path.ends_with('/') ? std::string(path) + "index.html" : std::string(path);
    const auto found =
        std::find_if(_assets.begin(), _assets.end(), [&](const EmbeddedAsset& asset) { return asset.path == file; });
    return found == _assets.end() ? nullptr : &*found;
}

Response Assets::get(std::string_view path) const {
    const EmbeddedAsset* asset = find(path);
    if (!asset)
        throw ApiError::notFound();
    return Response::of(std::make_shared<AssetContent>(asset->bytes), std::string(contentTypeOf(asset->path)))
        .addHeader("ETag", std::string(asset->etag))
        .addHeader("Cache-Control", _cacheControl);
}

Response Assets::get(std::string_view path, const RequestHead& head) const {
    Response whole = get(path);
    const EmbeddedAsset* asset = find(path);
    if (asset->bytes.size() < LEAST_COMPRESSED || !isText(whole.contentType))
        return whole;
    whole.addHeader("Vary", "Accept-Encoding");
    if (!acceptsGzip(head.header("Accept-Encoding").value_or("")))
        return whole;
    std::shared_ptr<const std::string> bytes;
    {
        const std::lock_guard lock(_compressed->mutex);
        auto& kept = _compressed->bytes[asset];
        if (!kept)
            kept = std::make_shared<const std::string>(gzipped(asset->bytes, SMALLEST));
        bytes = kept;
    }
    Response response = Response::of(std::make_shared<CompressedContent>(bytes), whole.contentType);
    // Other bytes, another tag.
    std::string etag(asset->etag);
    etag.insert(etag.size() - 1, "-gz");
    return response.addHeader("ETag", std::move(etag))
        .addHeader("Cache-Control", _cacheControl)
        .addHeader("Vary", "Accept-Encoding")
        .addHeader("Content-Encoding", "gzip");
}

Route Assets::route(std::string pattern) const {
    Route route{Method::Get, std::move(pattern), Audience::Public};
    route.handler = [this](Request& request) { return get(request.pathText("rest"), request.head()); };
    route.perMinute = -1;
    return route;
}

} // namespace supplierd
