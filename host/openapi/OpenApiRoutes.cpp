#include "host/openapi/OpenApiRoutes.h"

#include "host/Version.h"
#include "host/openapi/CommandTable.h"
#include "host/openapi/OpenApiDocument.h"
#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/RoutePattern.h"

#include <Poco/SHA2Engine.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

namespace supplierd::host {

namespace {

class DocumentContent final : public Content {
public:
    explicit DocumentContent(std::string text) : _text(std::move(text)) {}

    std::uint64_t size() const override { return _text.size(); }
    std::string read(std::uint64_t offset, std::size_t size) const override {
        return _text.substr(static_cast<std::size_t>(offset), size);
    }

private:
    std::string _text;
};

std::string tagOf(const std::string& text) {
    constexpr std::size_t LENGTH = 16;
    Poco::SHA2Engine engine;
    engine.update(text);
    return '"' + Poco::DigestEngine::digestToHex(engine.digest()).substr(0, LENGTH) + '"';
}

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

std::vector<Route> openApiRoutes(const std::vector<LoadedPlugin>& plugins, std::vector<std::string>& problems) {
    std::vector<Route> routes;
    for (const auto audience : {Audience::Supplier, Audience::Operator}) {
        std::string text = openApiDocument(audience, plugins);
        if (audience == Audience::Operator)
            routes.push_back(commandsRoute(OpenApiJson::parse(text), problems));
        std::string tag = tagOf(text);
        auto content = std::make_shared<const DocumentContent>(std::move(text));
        Route route;
        route.pattern = std::string(basePath(audience)) + std::string(OPENAPI_PATTERN);
        route.audience = Audience::Public;
        route.handler = [content = std::move(content), tag = std::move(tag)](Request&) {
            // Asked for again each time: with the tag that costs nothing, and a plugin may have been enabled since.
            return Response::of(content, "application/json").header("ETag", tag).header("Cache-Control", "no-cache");
        };
        routes.push_back(std::move(route));
    }
    return routes;
}

} // namespace supplierd::host
