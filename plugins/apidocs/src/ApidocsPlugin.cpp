#include "apidocsPages.h"

#include <supplierd/Assets.h>
#include <supplierd/Html.h>
#include <supplierd/Plugin.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::apidocs {

namespace {

/// Scripts, styles and requests of this server alone, none of them within a page. Swagger UI has its icons as data:
/// URLs.
constexpr const char* POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                               "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr std::string_view ERROR_PAGE = "error.html";
constexpr std::string_view REASON = "<!--reason-->"; ///< within it

/// Pages that the build made. Keeps nothing between requests.
class ApidocsPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Guides and the reference of the API, below /docs";
        const auto route = [&description](std::string pattern, Handler handler) {
            Route page{Method::Get, std::move(pattern), Audience::Public};
            page.handler = std::move(handler);
            page.errorPage = [](const RequestError& error) { return errorPage(error); };
            description.routes.push_back(std::move(page));
        };
        route("/docs", [](Request&) { return Response::redirect("/docs/", 308); });
        route("/docs/{rest...}", [](Request& request) { return page(request.pathText("rest")); });
        return description;
    }

    void start(Host&) override {}

private:
    static Response page(std::string_view path) {
        static const Assets pages(supplierd_apidocs_generated::assets());
        if (path == ERROR_PAGE)
            throw ApiError::notFound();
        return withPolicy(pages.get(path));
    }

    static Response errorPage(const RequestError& error) {
        std::string page = errorTemplate();
        page.replace(page.find(REASON), REASON.size(), escapeHtml(error.message));
        return withPolicy(Response::html(std::move(page), error.status));
    }

    static std::string errorTemplate() {
        for (const EmbeddedAsset& asset : supplierd_apidocs_generated::assets())
            if (asset.path == ERROR_PAGE)
                return std::string(asset.bytes);
        throw std::logic_error("the build has made no error page");
    }

    static Response withPolicy(Response response) {
        return std::move(response.header("Content-Security-Policy", POLICY).header("Referrer-Policy", "no-referrer"));
    }
};

} // namespace

} // namespace supplierd::apidocs

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::apidocs::ApidocsPlugin)
