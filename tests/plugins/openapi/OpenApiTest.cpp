#include "host/config/SettingsLoader.h"
#include "host/plugins/OpenApiDocument.h"
#include "host/plugins/PluginSet.h"
#include "host/plugins/RoutePattern.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"

#include <cppunit/extensions/HelperMacros.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace supplierd::tests {

namespace {

/// The whole path of a route, "/api/v1/supplier/products/{id}".
std::string wholePath(const Route& route) {
    return std::string(host::basePath(route.audience)) + std::regex_replace(route.pattern, std::regex(":int\\}"), "}");
}

/// The paths of a plugin's document by their whole paths.
nlohmann::json wholePaths(const nlohmann::json& document) {
    nlohmann::json paths;
    for (const auto& [path, item] : document.at("paths").items()) {
        const auto& servers = item.contains("servers") ? item.at("servers") : document.at("servers");
        const auto server = servers.at(0).at("url").get<std::string>();
        paths[(server == "/" ? "" : server) + path] = item;
    }
    return paths;
}

std::string methodOf(Method method) {
    return method == Method::Post ? "post" : "get";
}

nlohmann::json document(const std::string& plugin) {
    return nlohmann::json::parse(
        readWholeFile(std::filesystem::path(SUPPLIERD_PLUGIN_SOURCES) / plugin / "openapi.json"));
}

/// What the host itself may answer on such a route.
std::set<std::string> statusesOfTheHost(const Route& route) {
    std::set<std::string> statuses{"400", "500", "503"};
    if (route.audience != Audience::Public)
        statuses.insert({"401", "403", "429"});
    if (route.method != Method::Get)
        statuses.insert({"409", "411", "413", "422"});
    if (route.body == Body::Json)
        statuses.insert("415");
    if (route.pattern.find('{') != std::string::npos)
        statuses.insert("404");
    return statuses;
}

/// Everything that "$ref" names must be there.
void collectMissing(const nlohmann::json& part, const nlohmann::json& whole, std::ostringstream& missing) {
    if (part.is_object() && part.contains("$ref")) {
        const auto name = part.at("$ref").get<std::string>();
        if (name.rfind("#/", 0) != 0 || !whole.contains(nlohmann::json::json_pointer(name.substr(1))))
            missing << name << '\n';
    }
    if (part.is_structured())
        for (const auto& child : part)
            collectMissing(child, whole, missing);
}

} // namespace

/// Each plugin's openapi.json says what the plugin does.
class OpenApiTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(OpenApiTest);
    CPPUNIT_TEST(testEveryRouteIsDocumentedAndNoOther);
    CPPUNIT_TEST(testStatusesOfTheHostAreDocumented);
    CPPUNIT_TEST(testReferencesLeadSomewhere);
    CPPUNIT_TEST(testOperationsHaveNamesOfTheirOwn);
    CPPUNIT_TEST(testServerHasEveryDocumentInOne);
    CPPUNIT_TEST_SUITE_END();

    TemporaryDirectory _directory;
    host::PluginSet _plugins = load();

    host::PluginSet load() const {
        const auto enabled = _directory / "plugins-enabled";
        std::filesystem::create_directories(enabled);
        for (const auto& file : std::filesystem::directory_iterator(SUPPLIERD_PLUGIN_FILES))
            if (file.path().extension() == ".so")
                std::filesystem::create_symlink(file.path(), enabled / file.path().filename());
        writeWholeFile(_directory / "supplierd.toml", "[server]\nplugin_dir = \"" SUPPLIERD_PLUGIN_FILES "\"\n");
        host::Diagnostics problems;
        const auto settings = host::loadSettings(_directory / "supplierd.toml", problems);
        auto plugins = host::PluginSet::load(settings, problems);
        CPPUNIT_ASSERT_EQUAL(std::string(), problems.toString());
        return plugins;
    }

    /// Calls `check` with the plugin, its route and what the document says of it (null when it says nothing).
    template <class Check>
    void forEachRoute(Check&& check) const {
        for (const auto& plugin : _plugins.plugins()) {
            const auto paths = wholePaths(document(plugin.id()));
            for (const auto& route : plugin.description.routes) {
                const auto path = wholePath(route);
                const auto method = methodOf(route.method);
                const bool known = paths.contains(path) && paths.at(path).contains(method);
                check(plugin.id() + ": " + method + " " + path, route,
                      known ? paths.at(path).at(method) : nlohmann::json());
            }
        }
    }

public:
    void testEveryRouteIsDocumentedAndNoOther() {
        CPPUNIT_ASSERT(!_plugins.plugins().empty());
        std::map<std::string, int> seen;
        forEachRoute([&](const std::string& name, const Route&, const nlohmann::json& operation) {
            CPPUNIT_ASSERT_MESSAGE(name + " is not in openapi.json", !operation.is_null());
            ++seen[name];
        });
        for (const auto& plugin : _plugins.plugins()) {
            const auto paths = wholePaths(document(plugin.id()));
            for (const auto& [path, operations] : paths.items())
                for (const auto* method : {"get", "post", "put", "patch", "delete"})
                    if (operations.contains(method)) {
                        const auto name = plugin.id() + ": " + method + " " + path;
                        CPPUNIT_ASSERT_MESSAGE(name + " is documented, but no route", seen.contains(name));
                    }
        }
    }

    void testStatusesOfTheHostAreDocumented() {
        std::ostringstream missing;
        forEachRoute([&](const std::string& name, const Route& route, const nlohmann::json& operation) {
            for (const auto& status : statusesOfTheHost(route))
                if (!operation.at("responses").contains(status))
                    missing << name << ": " << status << '\n';
        });
        CPPUNIT_ASSERT_EQUAL(std::string(), missing.str());
    }

    void testReferencesLeadSomewhere() {
        std::ostringstream missing;
        for (const auto& plugin : _plugins.plugins()) {
            const auto whole = document(plugin.id());
            collectMissing(whole, whole, missing);
        }
        CPPUNIT_ASSERT_EQUAL(std::string(), missing.str());
    }

    void testOperationsHaveNamesOfTheirOwn() {
        std::set<std::string> names;
        forEachRoute([&](const std::string& name, const Route& route, const nlohmann::json& operation) {
            const auto id = operation.at("operationId").get<std::string>();
            const auto audience = std::to_string(static_cast<int>(route.audience));
            CPPUNIT_ASSERT_MESSAGE(name + ": operationId " + id, names.insert(audience + id).second);
        });
    }

    void testServerHasEveryDocumentInOne() {
        const auto whole = nlohmann::json::parse(host::joinedOpenApi(_plugins.plugins()));
        std::size_t operations = 0;
        for (const auto& path : whole.at("paths"))
            operations += path.size() - path.count("parameters");
        CPPUNIT_ASSERT_EQUAL(_plugins.routes().size(), operations);
        std::ostringstream missing;
        collectMissing(whole, whole, missing);
        CPPUNIT_ASSERT_EQUAL(std::string(), missing.str());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(OpenApiTest);

} // namespace supplierd::tests
