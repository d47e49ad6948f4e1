#include "host/openapi/OpenApiRoutes.h"

#include "host/Version.h"
#include "host/openapi/CommandTable.h"
#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/RoutePattern.h"

#include <supplierd/Assets.h>
#include <supplierd/EntityTag.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::string_view OPENAPI_FILE = "openapi.json";

/// A document as it is sent: with its tag, compressed once for those who take that.
class ServedDocument {
public:
    explicit ServedDocument(std::string text)
        : _text(std::move(text)), _tag(tagOfBytes(_text)), _asset{OPENAPI_FILE, _tag, _text} {}
    ServedDocument(const ServedDocument&) = delete;
    ServedDocument& operator=(const ServedDocument&) = delete;

    Response get(const Request& request) const { return _assets.get(OPENAPI_FILE, request.head()); }

private:
    const std::string _text;
    const std::string _tag;
    const EmbeddedAsset _asset;
    /// Asked for again each time: with the tag that costs nothing, and a plugin may have been enabled since.
    const Assets _assets{std::span(&_asset, 1), "no-cache"};
};

Route commandsRoute(const OpenApiJson& document, std::vector<std::string>& problems) {
    const OpenApiJson data = {{"server", {{"version", VERSION}}}, {"commands", commandTable(document, problems)}};
    Route route;
    route.pattern = COMMANDS_PATTERN;
    route.audience = Audience::Operator;
    route.handler = [text = data.dump()](Request& request) {
        Response response = request.reply();
        response.data = text;
        return response;
    };
    return route;
}

} // namespace

std::vector<Route> openApiRoutes(const std::map<Audience, std::string>& documents, std::vector<std::string>& problems) {
    std::vector<Route> routes;
    for (const auto& [audience, text] : documents) {
        if (audience == Audience::Operator)
            routes.push_back(commandsRoute(OpenApiJson::parse(text), problems));
        Route route;
        route.pattern = std::string(basePath(audience)) + std::string(OPENAPI_PATTERN);
        route.audience = Audience::Public;
        route.handler = [document = std::make_shared<const ServedDocument>(text)](Request& request) {
            return document->get(request);
        };
        routes.push_back(std::move(route));
    }
    return routes;
}

} // namespace supplierd::host
