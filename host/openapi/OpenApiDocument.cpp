#include "host/openapi/OpenApiDocument.h"

#include "host/Version.h"
#include "host/openapi/OpenApiOperation.h"
#include "host/openapi/OpenApiPart.h"
#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/RoutePattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace supplierd::host {

namespace {

using Json = OpenApiJson;

constexpr const char* CONVENTIONS =
    "Every response is JSON in an envelope: `success` with `data`, or with `error`. Times are ISO 8601 in UTC, prices "
    "exact "
    "decimals with at most four places. Unknown fields are reported in `warnings`.";

/// A document with the routes that it describes.
struct Part {
    std::string id;
    std::string summary;
    std::vector<Route> routes;
    Json document;
    bool isHost = false;

    bool isPlain() const { return isHost || document.value("x-names", "") == "plain"; }
};

/// What a part's names become.
class PartNames {
public:
    /// @param whole the components of the parts before.
    PartNames(const Part& part, const Json& whole) : _part(part) {
        if (!part.document.contains("components"))
            return;
        for (const auto& [kind, entries] : part.document["components"].items())
            for (const auto& [name, entry] : entries.items())
                _names[{kind, name}] = choose(kind, name, entry, whole);
    }

    std::string component(const std::string& kind, const std::string& name) const { return _names.at({kind, name}); }

    std::string operation(const std::string& id, const std::set<std::string>& taken) const {
        const std::string plain = camelCase(id);
        return _part.isPlain() && !taken.contains(plain) ? plain : camelCase(_part.id) + pascalCase(id);
    }

    void rename(Json& part) const {
        forEachReference(part, [&](Json& text) {
            auto reference = ComponentReference::parse(text.get_ref<const std::string&>());
            const auto found = _names.find({reference.kind, reference.name});
            if (found == _names.end())
                return; // the host's
            reference.name = found->second;
            text = reference.text();
        });
    }

private:
    std::string choose(const std::string& kind, const std::string& name, const Json& entry, const Json& whole) const {
        const auto entries = whole.find(kind);
        const bool isFree = entries == whole.end() || !entries->contains(name) || (*entries)[name] == entry;
        const std::string prefix = pascalCase(_part.id);
        // Security schemes are referred to by name, not by $ref.
        return kind == "securitySchemes" || name.starts_with(prefix) || (_part.isPlain() && isFree) ? name
                                                                                                    : prefix + name;
    }

    const Part& _part;
    std::map<std::pair<std::string, std::string>, std::string> _names;
};

/// Whether what has this `server` is in the document of the API with that base path.
bool isBelow(std::string_view base, const std::string& server) {
    return server.empty() || base == server || base.starts_with(server + "/");
}

class Document {
public:
    explicit Document(Audience audience) : _audience(audience), _base(basePath(audience)) {}

    void add(const Part& part) {
        if (part.document.is_null())
            return;
        const PartNames names(part, _components);
        for (const Route& route : part.routes)
            addRoute(part, route, names);
        addWebhooks(part, names);
        addComponents(part, names);
    }

    std::string text(const Json& scopes) {
        const bool isPlatform = _audience == Audience::Operator;
        Json whole = {{"openapi", "3.1.0"},
                      {"info",
                       {{"title", isPlatform ? "Platform API" : "Supplier API"},
                        {"version", VERSION},
                        {"description", CONVENTIONS},
                        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
                      {"servers", Json::array({{{"url", _base}, {"description", "This server"}}})},
                      {"security", Json::array({Json{{isPlatform ? "operatorKey" : "apiKey", Json::array()}}})},
                      {"tags", _tags},
                      {"paths", _paths}};
        if (!_webhooks.empty())
            whole["webhooks"] = _webhooks;
        if (!isPlatform)
            tellOfSandboxes();
        whole["components"] = usedComponents(whole);
        whole["x-scopes"] = scopes;
        return whole.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

private:
    /// Errors that a known supplier is answered say whether it is a sandbox, as other answers do.
    void tellOfSandboxes() {
        for (auto& [name, response] : _components["responses"].items())
            if (response.contains("headers") && response["headers"].contains("X-RateLimit-Limit"))
                response["headers"]["X-Sandbox"] = {{"$ref", "#/components/headers/X-Sandbox"}};
    }

    void addRoute(const Part& part, const Route& route, const PartNames& names) {
        const bool isPublic = route.audience == Audience::Public;
        if (isPublic ? _audience != Audience::Supplier : route.audience != _audience)
            return;
        const std::string server = serverOf(part.document);
        const auto item = part.document["paths"].find(documentedPath(route, server));
        const std::string method = documentedMethod(route.method);
        if (item == part.document["paths"].end() || !item->contains(method) || !(*item)[method].is_object())
            return;
        if (!isPublic && !isBelow(_base, serverOf(*item, server)))
            return;
        const std::string path = documentedPath(route, _base);
        if (isPublic)
            _paths[path]["servers"] = Json::array({{{"url", "/"}}});
        static const Json NONE = Json::array();
        Json operation =
            completeOperation((*item)[method], route, item->contains("parameters") ? (*item)["parameters"] : NONE,
                              part.document.contains("components") ? part.document["components"] : NONE);
        names.rename(operation);
        const bool isNamed = operation.contains("operationId") && operation["operationId"].is_string();
        operation["operationId"] = names.operation(
            isNamed ? operation["operationId"].get<std::string>() : operationIdOf(route), _operationIds);
        _operationIds.insert(operation["operationId"]);
        addTags(part, operation);
        _paths[path][method] = std::move(operation);
    }

    /// What a plugin sends to URLs that suppliers, or operators, have given it.
    void addWebhooks(const Part& part, const PartNames& names) {
        const auto webhooks = part.document.find("webhooks");
        if (webhooks == part.document.end() || !webhooks->is_object())
            return;
        for (const auto& [name, given] : webhooks->items()) {
            if (!given.is_object() || !isBelow(_base, serverOf(given, serverOf(part.document))))
                continue;
            Json item = given;
            item.erase("servers");
            names.rename(item);
            for (const std::string_view method : DOCUMENTED_METHODS) {
                if (!item.contains(method))
                    continue;
                Json& operation = item[std::string(method)];
                if (operation.contains("operationId") && operation["operationId"].is_string())
                    operation["operationId"] = names.operation(operation["operationId"], _operationIds);
                if (!operation.contains("security"))
                    operation["security"] = Json::array(); // our keys are for us
                addTags(part, operation);
            }
            _webhooks[part.isPlain() && !_webhooks.contains(name) ? name : part.id + "." + name] = std::move(item);
        }
    }

    /// Every operation has a tag, and every tag says what it is about.
    void addTags(const Part& part, Json& operation) {
        if (!operation.contains("tags") || operation["tags"].empty())
            operation["tags"] = Json::array({part.id});
        const Json& known = part.document.contains("tags") ? part.document["tags"] : _tags;
        for (const Json& tag : operation["tags"]) {
            const auto isIt = [&](const Json& one) { return one.is_object() && one.value("name", Json()) == tag; };
            if (std::any_of(_tags.begin(), _tags.end(), isIt))
                continue;
            const auto described = std::find_if(known.begin(), known.end(), isIt);
            Json entry = described == known.end() ? Json{{"name", tag}} : *described;
            if (!entry.contains("description"))
                entry["description"] = part.summary;
            _tags.push_back(std::move(entry));
        }
    }

    void addComponents(const Part& part, const PartNames& names) {
        if (!part.document.contains("components"))
            return;
        Json components = part.document["components"];
        names.rename(components);
        for (const auto& [kind, entries] : components.items())
            for (const auto& [name, entry] : entries.items()) {
                const std::string chosen = names.component(kind, name);
                if (!_components[kind].contains(chosen))
                    _components[kind][chosen] = entry;
            }
    }

    /// What the operations refer to, and what that refers to.
    Json usedComponents(const Json& whole) const {
        std::map<std::string, std::set<std::string>> used;
        std::vector<const Json*> open = {&whole};
        while (!open.empty()) {
            const Json* const part = open.back();
            open.pop_back();
            forEachReference(*part, [&](const Json& text) {
                const auto reference = ComponentReference::parse(text.get_ref<const std::string&>());
                if (has(reference) && used[reference.kind].insert(reference.name).second)
                    open.push_back(&_components[reference.kind][reference.name]);
            });
        }
        noteSchemes(whole, used["securitySchemes"]);
        Json components = Json::object();
        for (const auto& [kind, entries] : _components.items())
            for (const auto& [name, entry] : entries.items())
                if (used[kind].contains(name))
                    components[kind][name] = entry;
        return components;
    }

    bool has(const ComponentReference& reference) const {
        return _components.contains(reference.kind) && _components[reference.kind].contains(reference.name);
    }

    /// Security schemes are not referred to, but named.
    static void noteSchemes(const Json& part, std::set<std::string>& names) {
        if (part.is_object() && part.contains("security") && part["security"].is_array())
            for (const Json& requirement : part["security"])
                for (const auto& [name, scopes] : requirement.items())
                    names.insert(name);
        if (part.is_structured())
            for (const Json& child : part)
                noteSchemes(child, names);
    }

    Audience _audience;
    std::string _base;
    std::set<std::string> _operationIds;
    Json _tags = Json::array();
    Json _paths = Json::object();
    Json _webhooks = Json::object();
    Json _components = Json::object();
};

Part hostPart() {
    Part part;
    part.id = "supplierd";
    part.document = hostOpenApiPart();
    part.isHost = true;
    // It describes the host's routes alone, below the base paths of both APIs.
    const auto server = serverOf(part.document);
    for (const auto& [path, item] : part.document["paths"].items())
        for (const auto audience : {Audience::Supplier, Audience::Operator})
            for (const auto method : {Method::Get, Method::Post}) {
                const auto base = documentedBase(audience, server);
                if (!path.starts_with(base) || !item.contains(documentedMethod(method)))
                    continue;
                Route route;
                route.method = method;
                route.pattern = path.substr(base.size());
                route.audience = audience;
                route.body = item[documentedMethod(method)].contains("requestBody") ? Body::Json : Body::None;
                part.routes.push_back(std::move(route));
            }
    return part;
}

Part partOf(const LoadedPlugin& plugin) {
    Part part;
    part.id = plugin.id();
    part.summary = plugin.description.summary;
    part.routes = plugin.description.routes;
    part.document = parseOpenApiPart(plugin.description.openapi);
    return part;
}

} // namespace

std::string openApiDocument(Audience audience, const std::vector<LoadedPlugin>& plugins,
                            std::vector<std::string>& problems) {
    Document document(audience);
    document.add(hostPart());
    Json scopes = Json::object();
    for (const LoadedPlugin& plugin : plugins) {
        for (const Scope& scope : plugin.description.scopes)
            scopes[scope.name] = scope.summary;
        const Part part = partOf(plugin);
        try { // alone first, so that nothing of a wrong one stays
            Document alone(audience);
            alone.add(part);
            alone.text({});
            document.add(part);
        } catch (const Json::exception& problem) {
            problems.push_back("the OpenAPI document of " + part.id + " is left out: " + problem.what());
        }
    }
    return document.text(scopes);
}

} // namespace supplierd::host
