#pragma once

#include <supplierd/Plugin.h>
#include <supplierd/RequestHead.h>
#include <supplierd/Response.h>

#include <memory>
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
    explicit Assets(std::span<const EmbeddedAsset> assets, std::string cacheControl = "public, max-age=300");

    /// `path` is the route's rest: "", "css/site.css". Throws ApiError (NotFound).
    Response get(std::string_view path) const;
    /// Compressed by gzip for a client that takes it, where that helps: texts of more than a kilobyte, each compressed
    /// once.
    Response get(std::string_view path, const RequestHead& head) const;
    /// A public route that answers with them, compressed where that helps: route("/shop/{rest...}"). It counts against
    /// no limit, since a page loads many files at once. Lifetime: these Assets outlive the plugin's handlers.
    Route route(std::string pattern) const;
    bool has(std::string_view path) const { return find(path) != nullptr; }

private:
    const EmbeddedAsset* find(std::string_view path) const;

    std::span<const EmbeddedAsset> _assets;
    std::string _cacheControl;
    struct Compressed;
    std::shared_ptr<Compressed> _compressed;
};

/// "text/html; charset=utf-8" for "index.html"; "application/octet-stream" for an ending that is not known. Since 1.0.
std::string_view contentTypeOf(std::string_view fileName);

} // namespace supplierd
