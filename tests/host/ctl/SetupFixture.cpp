#include "tests/host/ctl/SetupFixture.h"

#include "tests/support/ServerProcess.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

PrivateMariaDb& SetupFixture::mariaDb() {
    static PrivateMariaDb server({.tcp = true});
    return server;
}

void SetupFixture::setUp() {
    static int number = 0;
    _name = "setup_" + std::to_string(++number);
    std::filesystem::create_directory(folder() / "plugins-enabled");
    for (const auto* plugin : {"categories", "catalog"})
        std::filesystem::create_symlink(ServerProcess::pluginFile(plugin),
                                        folder() / "plugins-enabled" / (std::string(plugin) + ".so"));
    writeConfiguration();
}

void SetupFixture::writeConfiguration(const std::string& more) {
    writeWholeFile(configFile(),
                   "[server]\nplugin_dir = \"" + ServerProcess::pluginFile("x").parent_path().string() + "\"\n" + more);
    std::filesystem::permissions(configFile(), std::filesystem::perms{0640});
}

std::string SetupFixture::password() const {
    auto text = readWholeFile(passwordFile());
    CPPUNIT_ASSERT_MESSAGE(text, text.size() > 20 && text.back() == '\n');
    text.pop_back();
    return text;
}

std::vector<std::string> SetupFixture::arguments(std::vector<std::string> more) const {
    const auto has = [&](const char* option) { return std::find(more.begin(), more.end(), option) != more.end(); };
    std::vector<std::string> all = {"setup", "--yes", "--database-user", user()};
    if (!has("--database-name"))
        all.insert(all.end(), {"--database-name", database()});
    if (!has("--database-host"))
        all.insert(all.end(), {"--database-socket", mariaDb().socket()});
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

CommandResult SetupFixture::run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {ServerProcess::controlProgram(), "--config", configFile()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return runCommand({.arguments = all});
}

Json SetupFixture::setUpWell(const std::vector<std::string>& more) const {
    auto all = arguments(more);
    all.emplace_back("--json");
    const auto result = run(all);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    return Json::parse(result.output);
}

std::string SetupFixture::setUpBadly(int exitCode, const std::vector<std::string>& more) const {
    const auto result = run(arguments(more));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, exitCode, result.exitCode);
    return result.errors;
}

std::string SetupFixture::stateOf(const Json& report, const std::string& step) {
    std::string states;
    for (const auto& entry : report.at("steps"))
        if (entry.at("step") == step)
            states += (states.empty() ? "" : " ") + entry.at("state").get<std::string>();
    return states;
}

void SetupFixture::requireUsable() const {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"config", "check"}, {"migrate", "--plan"}}) {
        const auto result = run(command);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    }
}

} // namespace supplierd::tests
