#pragma once

#include <supplierd/Response.h>

#include <span>
#include <string>
#include <string_view>

namespace supplierd {

/// A file within the plugin. `supplierd_embed_assets()` of the CMake package makes a list of them.
struct EmbeddedAsset {
    std::string_view path; ///< "css/site.css", without a slash in front
    std::string_view etag; ///< quoted
    std::string_view bytes;
};

/// Answers a route like "/shop/{rest...}" with the files that the plugin brings along: with their type (by the name's
/// ending), a strong ETag and `Cache-Control`; the host adds HEAD, 304 and ranges. A folder's file is its index.html.
/// Thread: any. Lifetime: `assets` outlive it. Since 1.0.
class Assets {
public:
    explicit Assets(std::span<const EmbeddedAsset> assets, std::string cacheControl = "public, max-age=300")
        : _assets(assets), _cacheControl(std::move(cacheControl)) {}

    /// `path` is the route's rest: "", "css/site.css". Throws ApiError (NotFound).
    Response get(std::string_view path) const;
    bool has(std::string_view path) const { return find(path) != nullptr; }

private:
    const EmbeddedAsset* find(std::string_view path) const;

    std::span<const EmbeddedAsset> _assets;
    std::string _cacheControl;
};

/// "text/html; charset=utf-8" for "index.html"; "application/octet-stream" for an ending that is not known. Since 1.0.
std::string_view contentTypeOf(std::string_view fileName);

} // namespace supplierd
