#include "tests/support/ChildProcess.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Places.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

const std::filesystem::path NPM = SUPPLIERD_NPM_FOLDER;

LoopbackOrigin& pictures() {
    static const std::string picture = readWholeFile(sourcePath("packaging/demo/pictures/rose-yellow.jpg"));
    static LoopbackOrigin origin([](OriginConnection& connection) { connection.answer("200 OK", picture); });
    return origin;
}

std::string configuration(const std::filesystem::path& folder) {
    return "[auth]\nfailures_per_minute = 1000000\n[plugins.media]\nroot = \"" + folder.string() +
           "\"\nfetch.allow_networks = [\"127.0.0.0/8\"]\nfetch.allow_ports = [1, " +
           std::to_string(pictures().port()) +
           "]\n[plugins.webhooks]\nallow_http = true\nallow_networks = [\"127.0.0.0/8\"]\nallow_ports = [" +
           std::to_string(pictures().port()) + "]\n[plugins.history]\nwrites_per_minute = 100000\n" +
           "errors_per_minute = 100000\nreads_per_minute = 100000\n";
}

} // namespace

/// What integrators do with the OpenAPI documents of a server: read them, lint them, and generate clients.
class OpenApiClientsTest : public CppUnit::TestFixture {
protected:
    static ServerFixture& server() {
        static const TemporaryDirectory folder("media");
        static ServerFixture shared({.plugins = apiPlugins(), .configuration = configuration(folder / "files")});
        return shared;
    }

    /// A program in the folder of the packages; fails the test, showing its output, when that fails.
    static void run(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
        environment.emplace("REDOCLY_TELEMETRY", "off");
        environment.emplace("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
        const auto result =
            runCommand({.arguments = arguments, .environment = std::move(environment), .workingDirectory = NPM},
                       std::chrono::minutes(5));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(arguments[0] + ":\n" + result.output + result.errors, 0, result.exitCode);
    }

    static std::string tool(const char* name) { return (NPM / "node_modules/.bin" / name).string(); }

    static void runScript(const std::string& script) {
        const char* const isRecorded = std::getenv("SUPPLIERD_RECORD_ANSWERS");
        run({"node", script}, {{"RECORD_INTO", isRecorded ? sourcePath() : ""},
                               {"URL", server().server().rootUrl()},
                               {"OPERATOR_KEY", server().server().createOperatorKey({{"hourly_limit", "1000000"}})},
                               {"SPARE_OPERATOR_KEY", server().server().createOperatorKey()},
                               {"PICTURE", "http://127.0.0.1:" + std::to_string(pictures().port()) + "/rose.jpg"}});
    }

    /// The documents as files.
    static void fetchDocuments() {
        std::filesystem::create_directories(NPM / "documents");
        for (const char* const api : {"supplier", "platform"}) {
            const auto response = server().server().rootClient().get("/api/v1/" + std::string(api) + "/openapi.json");
            requireStatus(200, response);
            writeWholeFile(NPM / "documents" / (std::string(api) + ".json"), response.body);
        }
    }

    /// Once for all tests that run what was compiled.
    static void compileClients() {
        static bool isDone = false;
        if (isDone)
            return;
        fetchDocuments();
        for (const char* const folder : {"generated", "compiled"})
            std::filesystem::remove_all(NPM / folder);
        for (const std::string api : {"supplier", "platform"})
            run({tool("openapi-typescript"), "documents/" + api + ".json", "--output", "generated/" + api + ".d.ts"});
        run({tool("openapi-ts"), "--file", "openapi-ts.config.mjs"});
        run({tool("tsc"), "--project", "tsconfig.json"});
        isDone = true;
    }
};

TEST(OpenApiClientsTest, redoclyFindsNothing) {
    fetchDocuments();
    run({tool("redocly"), "lint", "--extends=recommended-strict", "documents/supplier.json",
         "documents/platform.json"});
}

TEST(OpenApiClientsTest, everyOperationIsAsDescribed) {
    runScript("conformance.mjs");
}

TEST(OpenApiClientsTest, generatedClientsCompileAsStrictTypeScript) {
    compileClients();
}

TEST(OpenApiClientsTest, clientOfOpenApiTypescriptLosesNoValueInADay) {
    compileClients();
    runScript("compiled/fetch-day.js");
}

TEST(OpenApiClientsTest, clientOfHeyApiLosesNoValueInADay) {
    compileClients();
    runScript("compiled/zod-day.js");
}

} // namespace supplierd::tests
