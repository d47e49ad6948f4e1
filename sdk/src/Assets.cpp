#include <supplierd/Assets.h>
#include <supplierd/Errors.h>

#include <algorithm>
#include <array>
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
        .header("ETag", std::string(asset->etag))
        .header("Cache-Control", _cacheControl);
}

} // namespace supplierd
