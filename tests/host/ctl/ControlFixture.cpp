#include "tests/host/ctl/ControlFixture.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

CommandResult ControlFixture::run(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment) {
    std::vector<std::string> all = {ServerProcess::controlProgram(), "--config", configFile()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return runCommand({.arguments = all, .environment = environment});
}

nlohmann::json ControlFixture::runJson(std::vector<std::string> arguments, int exitCode) {
    arguments.emplace_back("--json");
    const auto result = run(arguments);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, exitCode, result.exitCode);
    return nlohmann::json::parse(result.output);
}

std::string ControlFixture::runWell(const std::vector<std::string>& arguments) {
    const auto result = run(arguments);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    return result.output;
}

std::string ControlFixture::runBadly(const std::vector<std::string>& arguments, int exitCode) {
    const auto result = run(arguments);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, exitCode, result.exitCode);
    return result.errors;
}

void ControlFixture::writeExtraConfiguration(const std::string& text) {
    writeWholeFile(server().directory() / "conf.d/95-more.toml", text);
}

} // namespace supplierd::tests
