#include "tests/sdk/operating/OperatedServer.h"

#include "tests/support/Control.h"

#include <cppunit/TestAssert.h>

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
    return runControl(_server, std::move(arguments));
}

Json OperatedServer::runJson(std::vector<std::string> arguments, int exitCode) const {
    return controlJson(_server, std::move(arguments), exitCode);
}

Json OperatedServer::job(const std::string& name) const {
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

} // namespace supplierd::tests
