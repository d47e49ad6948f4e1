#include "ReferencePage.h"
#include "apidocsPages.h"

#include <supplierd/Assets.h>
#include <supplierd/EntityTag.h>
#include <supplierd/Html.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Dashboard.h>
#include <supplierd/services/ServerStatus.h>

#include <algorithm>
#include <exception>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::apidocs {

namespace {

/// Scripts, styles and requests of this server alone, none of them within a page. Pico CSS has its icons as data: URLs.
constexpr const char* POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                               "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr std::string_view ERROR_PAGE = "error.html";
constexpr std::string_view REASON = "<!--reason-->"; ///< within it
/// Within each page, where the plugin dashboard says how the marketplace shows itself.
constexpr std::string_view BRAND = "<!--brand-->";
constexpr std::string_view NAME = "<!--name-->";
/// Within a reference.
constexpr std::string_view MENU = "<!--menu-->";
constexpr std::string_view CONTENT = "<!--content-->";

std::vector<EmbeddedAsset> filesOfBuild() {
    const auto files = supplierd_apidocs_generated::assets();
    return {files.begin(), files.end()};
}

void replace(std::string& page, std::string_view what, const std::string& by) {
    page.replace(page.find(what), what.size(), by);
}

/// Pages that the build made, and the references, made of what the server serves when it starts.
class ApidocsPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.after = {std::string(Dashboard::ID)};
        description.summary = "Guides and the reference of the API, below /docs";
        const auto route = [this, &description](std::string pattern, Handler handler) {
            Route page{Method::Get, std::move(pattern), Audience::Public};
            page.handler = std::move(handler);
            page.errorPage = [this](const FailedRequest& error) { return errorPage(error); };
            description.routes.push_back(std::move(page));
        };
        route("/docs", [](Request&) { return Response::redirect("/docs/", 308); });
        route("/llms.txt", [](Request&) { return Response::redirect("/docs/llms.txt", 308); }); // where tools look
        route("/docs/{rest...}", [this](Request& request) { return page(request); });
        return description;
    }

    void start(Host& host) override {
        _server = host.service<ServerStatus>();
        if (Dashboard* const dashboard = host.service<Dashboard>())
            _branding = dashboard->branding();
        _log = &host.log();
    }

    void ready() override {
        if (!_server) // it is only validated
            return;
        for (EmbeddedAsset& asset : _files)
            if (asset.path.ends_with(".html"))
                brand(asset);
        complete("supplier-api.html", _server->openApi(Audience::Supplier));
        complete("platform-api.html", _server->openApi(Audience::Operator));
    }

private:
    void brand(EmbeddedAsset& asset) {
        std::string page(asset.bytes);
        std::string head;
        if (!_branding.style.empty())
            head += R"(<link rel="stylesheet" href="/docs/brand.css">)";
        if (!_branding.logo.empty())
            head += R"(<link rel="icon" href="/docs/logo.svg" type="image/svg+xml">)";
        replace(page, BRAND, head);
        replace(page, NAME, _branding.name.empty() ? "" : escapeHtml(_branding.name) + " ");
        change(asset, std::move(page));
    }

    void change(EmbeddedAsset& asset, std::string page) {
        asset.bytes = _texts.emplace_back(std::move(page));
        asset.etag = _texts.emplace_back(tagOfBytes(asset.bytes));
    }

    /// Puts into a page of the build what this server serves.
    void complete(std::string_view name, const std::string& document) {
        const auto asset =
            std::find_if(_files.begin(), _files.end(), [&](const EmbeddedAsset& one) { return one.path == name; });
        std::string page(asset->bytes);
        ReferencePage parts;
        try {
            parts = referencePage(document);
        } catch (const std::exception& problem) {
            parts.problems = {problem.what()};
            parts.content = "<p>This reference cannot be shown. The OpenAPI document has all of it.</p>";
        }
        for (const std::string& problem : parts.problems) // a plugin's part is not as OpenAPI has it
            _log->warning("a part of a reference cannot be shown", {{"page", std::string(name)}, {"problem", problem}});
        replace(page, MENU, parts.menu);
        replace(page, CONTENT, parts.content);
        change(*asset, std::move(page));
    }

    Response page(Request& request) const {
        const std::string_view path = request.pathText("rest");
        if (path == ERROR_PAGE)
            throw ApiError::notFound();
        if (path == "brand.css" && !_branding.style.empty())
            return withPolicy(Response::text(_branding.style, 200, "text/css").addHeader("Cache-Control", "no-cache"));
        if (path == "logo.svg" && !_branding.logo.empty())
            return withPolicy(
                Response::text(_branding.logo, 200, "image/svg+xml").addHeader("Cache-Control", "no-cache"));
        const bool isPage =
            path.empty() || path.ends_with(".html") || path.ends_with(".md") || path.ends_with(".txt"); // no hash
        return withPolicy((isPage ? _pages : _hashed).get(path, request.head()));
    }

    Response errorPage(const FailedRequest& error) const {
        const auto page =
            std::find_if(_files.begin(), _files.end(), [](const EmbeddedAsset& one) { return one.path == ERROR_PAGE; });
        std::string text(page->bytes);
        replace(text, REASON, escapeHtml(error.message));
        return withPolicy(Response::html(std::move(text), error.status));
    }

    static Response withPolicy(Response response) {
        return std::move(
            response.addHeader("Content-Security-Policy", POLICY).addHeader("Referrer-Policy", "no-referrer"));
    }

    ServerStatus* _server = nullptr;
    Logger* _log = nullptr;
    Branding _branding;
    std::list<std::string> _texts; ///< which `_files` refers to
    std::vector<EmbeddedAsset> _files = filesOfBuild();
    Assets _pages{_files, "no-cache"};
    Assets _hashed{_files, "public, max-age=31536000, immutable"};
};

} // namespace

} // namespace supplierd::apidocs

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::apidocs::ApidocsPlugin)
