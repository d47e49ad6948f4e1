#include "host/config/SettingsLoader.h"
#include "host/openapi/OpenApiDocument.h"
#include "host/openapi/OpenApiPart.h"
#include "host/plugins/PluginSet.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace supplierd::tests {

namespace {

/// What "#/components/schemas/Rose" refers to is there.
bool isThere(const std::string& reference, const json& whole) {
    if (!reference.starts_with("#/"))
        return false;
    const json* part = &whole;
    std::istringstream names(reference.substr(2));
    for (std::string name; std::getline(names, name, '/'); part = &part->at(name))
        if (!part->contains(name))
            return false;
    return true;
}

/// Everything that "$ref" names must be there.
void collectMissing(const json& part, const json& whole, std::ostringstream& missing) {
    if (part.is_object() && part.contains("$ref")) {
        const auto name = part.at("$ref").get<std::string>();
        if (!isThere(name, whole))
            missing << name << '\n';
    }
    if (part.is_structured())
        for (const auto& child : part)
            collectMissing(child, whole, missing);
}

/// Keywords that generated clients act on, or that fail right answers.
void collectTraps(const json& part, const std::string& place, std::ostringstream& found) {
    if (part.is_array())
        for (const json& child : part)
            collectTraps(child, place + "/*", found);
    if (!part.is_object())
        return;
    for (const auto& [name, child] : part.items()) {
        const bool isTrap = name == "multipleOf" || name == "nullable" || (name == "default" && !child.is_object());
        if (name == "x-command") // what a command takes when nothing is given, no clients
            continue;
        if (isTrap)
            found << place << '/' << name << '\n';
        collectTraps(child, place + "/" + name, found);
    }
}

} // namespace

/// The bundled plugins' parts of the OpenAPI documents.
class OpenApiTest : public CppUnit::TestFixture {
protected:
    TemporaryDirectory _directory;
    host::PluginSet _plugins = load();
    json _suppliers = document(Audience::Supplier);
    json _platform = document(Audience::Operator);

    json document(Audience audience) const {
        std::vector<std::string> problems;
        json whole = json::parse(host::openApiDocument(audience, _plugins.plugins(), problems));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, problems.size());
        return whole;
    }

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
        CPPUNIT_ASSERT(!plugins.plugins().empty());
        return plugins;
    }
};

TEST(OpenApiTest, everyPartDescribesItsRoutesAndNoOthers) {
    for (const auto& plugin : _plugins.plugins())
        for (const auto& problem : host::openApiProblems(plugin.description))
            CPPUNIT_FAIL(plugin.id() + ": " + problem);
}

TEST(OpenApiTest, everyRouteIsInOneOfTheTwoDocuments) {
    for (const auto& plugin : _plugins.plugins())
        for (const auto& route : plugin.description.routes) {
            if (route.audience == Audience::Public)
                continue;
            const auto& paths = (route.audience == Audience::Supplier ? _suppliers : _platform).at("paths");
            const auto path = std::regex_replace(route.pattern, std::regex(":int\\}"), "}");
            CPPUNIT_ASSERT_MESSAGE(plugin.id() + ": " + path,
                                   paths.contains(path) &&
                                       paths.at(path).contains(host::documentedMethod(route.method)));
        }
}

TEST(OpenApiTest, referencesLeadSomewhere) {
    std::ostringstream missing;
    for (const auto* document : {&_suppliers, &_platform})
        collectMissing(*document, *document, missing);
    CPPUNIT_ASSERT_EQUAL(std::string(), missing.str());
}

TEST(OpenApiTest, operationsHaveIdentifiersOfTheirOwn) {
    for (const auto* document : {&_suppliers, &_platform}) {
        std::set<std::string> names;
        for (const auto& [path, item] : document->at("paths").items())
            for (const auto method : host::DOCUMENTED_METHODS)
                if (item.contains(method)) {
                    const auto id = item.at(std::string(method)).at("operationId").get<std::string>();
                    CPPUNIT_ASSERT_MESSAGE(id, std::regex_match(id, std::regex("[a-z][A-Za-z0-9]*")));
                    CPPUNIT_ASSERT_MESSAGE(id + ": what is read is read…", !std::regex_search(id, std::regex("^get")));
                    CPPUNIT_ASSERT_MESSAGE(id, names.insert(id).second);
                }
    }
}

/// A name that clashes would have the plugin's id in front.
TEST(OpenApiTest, namesDoNotClash) {
    std::set<std::string> known;
    const auto collect = [&](const host::OpenApiJson& part) {
        if (part.contains("components"))
            for (const auto& entries : part["components"])
                for (const auto& [name, entry] : entries.items())
                    known.insert(name);
    };
    collect(host::hostOpenApiPart());
    for (const auto& plugin : _plugins.plugins())
        collect(host::parseOpenApiPart(plugin.description.openapi));
    for (const auto* document : {&_suppliers, &_platform})
        for (const auto& entries : document->at("components"))
            for (const auto& [name, entry] : entries.items())
                CPPUNIT_ASSERT_MESSAGE(name, known.contains(name));
}

TEST(OpenApiTest, thereIsOneSchemaOfErrorsAndOneOfPagination) {
    for (const auto* document : {&_suppliers, &_platform})
        for (const auto& [name, schema] : document->at("components").at("schemas").items()) {
            const auto properties = schema.value("properties", json::object());
            CPPUNIT_ASSERT_MESSAGE(name, !properties.contains("total_pages") || name == "Pagination");
            CPPUNIT_ASSERT_MESSAGE(name, !properties.contains("request_id") || name == "Error" ||
                                             name == "AuditEntry" || name == "RecordedRequest");
            CPPUNIT_ASSERT_MESSAGE(name, !properties.contains("success") || name == "Envelope" || name == "Failure");
        }
}

/// A `default` in an update's schema makes generated clients send what nobody asked for.
TEST(OpenApiTest, nothingIsSetByWhatIsLeftOut) {
    std::ostringstream found;
    for (const auto* document : {&_suppliers, &_platform}) {
        collectTraps(document->at("paths"), "", found);
        collectTraps(document->at("components"), "", found);
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), found.str());
}

} // namespace supplierd::tests
