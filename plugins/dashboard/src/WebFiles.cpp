#include "WebFiles.h"

#include <supplierd/EntityTag.h>
#include <supplierd/JsonWriter.h>

#include <dashboardAssets.h>

#include <stdexcept>

namespace supplierd::dashboard {

namespace {

constexpr std::string_view TEXTS = "texts/";

/// Nothing but this server: no script or style within the page, no frame, no form that goes elsewhere. `data:` is for
/// the small pictures in the style sheet.
constexpr std::string_view POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

std::string_view bytesOf(std::string_view path) {
    for (const EmbeddedAsset& asset : supplierd_dashboard_web::assets())
        if (asset.path == path)
            return asset.bytes;
    throw std::runtime_error("the plugin was built without " + std::string(path));
}

/// "main-3FA7.js" for "main-" and ".js".
std::string_view nameOf(std::string_view begin, std::string_view end) {
    for (const EmbeddedAsset& asset : supplierd_dashboard_web::assets())
        if (asset.path.starts_with(begin) && asset.path.ends_with(end))
            return asset.path;
    throw std::runtime_error("the plugin was built without " + std::string(begin) + "*" + std::string(end));
}

void replace(std::string& text, std::string_view what, std::string_view by) {
    const auto at = text.find(what);
    if (at != std::string::npos)
        text.replace(at, what.size(), by);
}

} // namespace

WebFiles::WebFiles(const std::filesystem::path& folder, const Branding& branding)
    : _branding(branding),
      _hashed(supplierd_dashboard_web::assets(), "public, max-age=31536000, immutable"),
      _others(supplierd_dashboard_web::assets(), "no-cache"),
      _page(bytesOf("index.html")) {
    replace(_page, "@STYLE@", nameOf("style-", ".css"));
    replace(_page, "@MAIN@", nameOf("main-", ".js"));
    replace(_page, "@BRAND@", branding.style.empty() ? "" : R"(<link rel="stylesheet" href="/dashboard/brand.css">)");

    auto languages = readTexts(supplierd_dashboard_web::assets(), TEXTS, folder);
    for (auto& [language, texts] : languages)
        texts.try_emplace("brand", branding.name);
    addMissing(languages);
    Texts names;
    for (auto& [language, texts] : languages) {
        addText(language + ".json", texts);
        const auto& name = texts["language"];
        names[language] = name.empty() ? language : name;
    }
    addText("index.json", names);
    for (const Text& text : _texts)
        _textAssets.push_back({text.path, text.tag, text.bytes});
    _textFiles.emplace(_textAssets, "no-cache");
}

void WebFiles::addText(const std::string& file, const Texts& texts) {
    std::string bytes = jsonOf(texts);
    auto tag = tagOfBytes(bytes);
    _texts.push_back({std::string(TEXTS) + file, std::move(bytes), std::move(tag)});
}

Response WebFiles::page() const {
    return Response::html(_page)
        .addHeader("Content-Security-Policy", std::string(POLICY))
        .addHeader("Referrer-Policy", "no-referrer")
        .addHeader("X-Frame-Options", "DENY")
        .addHeader("Cross-Origin-Opener-Policy", "same-origin")
        .addHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
        .addHeader("Cache-Control", "no-cache");
}

Response WebFiles::get(Request& request) const {
    const std::string_view path = request.pathText("rest");
    if (path.empty() || path == "index.html")
        return page();
    if (path.starts_with(TEXTS))
        return _textFiles->get(path, request.head());
    if (path == "brand.css" && !_branding.style.empty())
        return Response::text(_branding.style, 200, "text/css").addHeader("Cache-Control", "no-cache");
    if (path == "icon.svg" && !_branding.logo.empty())
        return Response::text(_branding.logo, 200, "image/svg+xml")
            .addHeader("Cache-Control", "no-cache")
            .addHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    const bool isHashed = path.find('-') != std::string_view::npos;
    return (isHashed ? _hashed : _others).get(path, request.head());
}

} // namespace supplierd::dashboard
