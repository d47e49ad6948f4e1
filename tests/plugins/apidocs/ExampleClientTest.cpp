#include "GuideExamples.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

const std::map<std::string, std::string> PROGRAMS = {
    {"js", "import { call } from \"./supplier-api.mjs\";\n"
           "console.log((await call(\"POST\", \"/stock\", { items: [] })).updated);\n"},
    {"php", "<?php\nrequire 'supplier_api.php';\necho call('POST', '/stock', ['items' => []])['updated'], \"\\n\";\n"},
    {"python", "from supplier_api import call\nprint(call(\"POST\", \"/stock\", {\"items\": []})[\"updated\"])\n"}};

/// They send a file.
const std::map<std::string, std::string> UPLOADS = {
    {"js", "import { call } from \"./supplier-api.mjs\";\n"
           "await call(\"POST\", \"/upload\", new Uint8Array([1, 2]), { \"Content-Type\": \"image/jpeg\" });\n"},
    {"php", "<?php\nrequire 'supplier_api.php';\n"
            "call('POST', '/upload', 'ab', ['Content-Type' => 'image/jpeg']);\n"},
    {"python", "from supplier_api import call\n"
               "call(\"POST\", \"/upload\", b\"ab\", {\"Content-Type\": \"image/jpeg\"})\n"}};

std::string fieldOf(const std::string& head, const std::string& name) {
    std::smatch found;
    const std::regex field("\r\n" + name + ": *([^\r]*)\r", std::regex::icase);
    return std::regex_search(head, found, field) ? found[1].str() : std::string();
}

/// A server of the API that answers its requests, whatever they are, one by one as `answers` say.
class ScriptedServer {
public:
    using Answer = std::function<void(OriginConnection&)>;

    explicit ScriptedServer(std::vector<Answer> answers)
        : _answers(std::move(answers)), _origin([this](OriginConnection& connection) {
              static_cast<void>(connection.read(std::stoul(fieldOf(connection.head(), "Content-Length"))));
              const std::size_t number = _answered++;
              _answers.at(std::min(number, _answers.size() - 1))(connection);
          }) {}

    std::string url() const { return "http://127.0.0.1:" + std::to_string(_origin.port()) + "/api/v1/supplier"; }
    std::size_t requests() const { return _answered; }
    std::set<std::string> idempotencyKeys() const { return valuesOf("Idempotency-Key"); }
    std::set<std::string> types() const { return valuesOf("Content-Type"); }

private:
    std::set<std::string> valuesOf(const std::string& field) const {
        std::set<std::string> values;
        for (const std::string& head : _origin.requests())
            values.insert(fieldOf(head, field));
        return values;
    }

    std::vector<Answer> _answers;
    std::atomic<std::size_t> _answered{0};
    LoopbackOrigin _origin;
};

ScriptedServer::Answer refusal(const std::string& status, const std::string& code, const std::string& fields) {
    return [=](OriginConnection& connection) {
        connection.answer(status,
                          R"({"success":false,"error":{"code":")" + code + R"(","message":"Busy","request_id":"r"}})",
                          "Connection: close\r\nContent-Type: application/json\r\n" + fields);
    };
}

void succeed(OriginConnection& connection) {
    connection.answer("200 OK", R"({"success":true,"data":{"updated":7}})",
                      "Connection: close\r\nContent-Type: application/json\r\n");
}

/// Runs the program of each language that is installed, with the client as the guide has it.
void withEachClient(const std::map<std::string, std::string>& programs,
                    const std::function<void(const std::function<CommandResult(const ScriptedServer&)>&)>& test) {
    for (const ExampleLanguage& language : exampleLanguages()) {
        if (!programs.contains(language.name))
            continue;
        if (!isInstalled(language)) {
            std::printf("skipped %s, which is not installed ... ", language.program.front().c_str());
            continue;
        }
        TemporaryDirectory folder("client");
        for (const GuideBlock& block : readGuide(guideFile("first-request")))
            if (block.language == language.name && !block.name.empty())
                writeWholeFile(folder / block.name, block.code);
        const auto file = folder / ("program" + language.extension);
        writeWholeFile(file, programs.at(language.name));
        test([&](const ScriptedServer& server) {
            std::vector<std::string> arguments = language.program;
            arguments.push_back(file);
            return runCommand({.arguments = std::move(arguments),
                               .environment = {{"URL", server.url()}, {"KEY", "sk_key"}},
                               .workingDirectory = folder.path()});
        });
    }
}

} // namespace

/// The client of the first guide, which readers copy into their programs.
class ExampleClientTest : public CppUnit::TestFixture {};

TEST(ExampleClientTest, requestIsRepeatedUnderItsKeyUntilItIsDone) {
    withEachClient(PROGRAMS, [](const auto& run) {
        const ScriptedServer server({[](OriginConnection& connection) { connection.reset(); },
                                     refusal("503 Service Unavailable", "SERVICE_UNAVAILABLE", "Retry-After: 1\r\n"),
                                     refusal("409 Conflict", "CONFLICT", ""), succeed});
        const auto result = run(server);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, std::string("7\n"), result.output);
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, server.requests());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, server.idempotencyKeys().size());
        CPPUNIT_ASSERT(!server.idempotencyKeys().contains(""));
    });
}

TEST(ExampleClientTest, clientGivesUpAfterFiveRequests) {
    withEachClient(PROGRAMS, [](const auto& run) {
        const ScriptedServer server({refusal("429 Too Many Requests", "RATE_LIMITED", "Retry-After: 1\r\n")});
        const auto result = run(server);
        CPPUNIT_ASSERT(result.exitCode != 0);
        const auto all = result.errors + result.output; // where PHP reports depends on its configuration
        CPPUNIT_ASSERT_MESSAGE(all, all.find("429 RATE_LIMITED: Busy") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, server.requests());
    });
}

TEST(ExampleClientTest, refusalIsNotRepeated) {
    withEachClient(PROGRAMS, [](const auto& run) {
        const ScriptedServer server({refusal("422 Unprocessable Entity", "VALIDATION_ERROR", "")});
        const auto result = run(server);
        CPPUNIT_ASSERT(result.exitCode != 0);
        const auto all = result.errors + result.output;
        CPPUNIT_ASSERT_MESSAGE(all, all.find("422 VALIDATION_ERROR: Busy") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, server.requests());
    });
}

/// The routes that take files take no key, so that a repetition would add the file twice.
TEST(ExampleClientTest, fileIsSentOnceAndWithoutAnIdempotencyKey) {
    withEachClient(UPLOADS, [](const auto& run) {
        const ScriptedServer server({refusal("503 Service Unavailable", "SERVICE_UNAVAILABLE", "Retry-After: 1\r\n")});
        CPPUNIT_ASSERT(run(server).exitCode != 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, server.requests());
        CPPUNIT_ASSERT(server.idempotencyKeys() == std::set<std::string>{""});
        CPPUNIT_ASSERT(server.types() == std::set<std::string>{"image/jpeg"});
    });
}

} // namespace supplierd::tests
