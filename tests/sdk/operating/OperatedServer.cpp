#include "tests/sdk/operating/OperatedServer.h"

#include <cppunit/TestAssert.h>

#include <chrono>
#include <thread>

namespace supplierd::tests {

ServerOptions operatedOptions(std::string configuration, std::vector<std::string> plugins) {
    ServerOptions options;
    options.plugins = std::move(plugins);
    options.pluginFiles = {SUPPLIERD_TEST_OPERATED_PLUGIN};
    options.configuration = std::move(configuration);
    return options;
}

OperatedServer::OperatedServer(std::string configuration, std::vector<std::string> plugins)
    : _server(_database, operatedOptions(std::move(configuration), std::move(plugins))) {}

HttpClient OperatedServer::client() const {
    const std::string& url = _server.url();
    return HttpClient(url.substr(0, url.find("/api/")));
}

CommandResult OperatedServer::run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {ServerProcess::controlProgram().string(), "--config", _server.configFile().string()});
    return runCommand({.arguments = std::move(arguments)});
}

nlohmann::json OperatedServer::runJson(std::vector<std::string> arguments, int exitCode) const {
    arguments.emplace_back("--json");
    const auto result = run(std::move(arguments));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, exitCode, result.exitCode);
    return nlohmann::json::parse(result.output);
}

nlohmann::json OperatedServer::job(const std::string& name) const {
    const auto list = runJson({"job", "list"});
    for (const auto& row : list.at("jobs"))
        if (row.at("plugin").get<std::string>() == "operated" && row.at("name").get<std::string>() == name)
            return row;
    CPPUNIT_FAIL("no such job: " + name);
    return {};
}

std::int64_t OperatedServer::runsOf(const std::string& job) {
    return _database.integer("SELECT COUNT(*) FROM operated_runs WHERE job = " + _database.quote(job));
}

void OperatedServer::waitUntil(const std::string& what, const std::function<bool()>& isTrue) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!isTrue()) {
        CPPUNIT_ASSERT_MESSAGE("in vain: " + what, std::chrono::steady_clock::now() < until);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

} // namespace supplierd::tests
