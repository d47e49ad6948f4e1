#include "tests/support/Control.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

namespace {

CommandResult runTo(int exitCode, const ServerProcess& server, std::vector<std::string> arguments) {
    auto result = runControl(server, std::move(arguments));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, exitCode, result.exitCode);
    return result;
}

} // namespace

CommandResult runControl(const ServerProcess& server, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {ServerProcess::controlProgram(), "--config", server.configFile()});
    return runCommand({.arguments = std::move(arguments)});
}

std::string requireControl(const ServerProcess& server, std::vector<std::string> arguments, int exitCode) {
    const auto result = runTo(exitCode, server, std::move(arguments));
    return result.output + result.errors;
}

Json controlJson(const ServerProcess& server, std::vector<std::string> arguments, int exitCode) {
    arguments.emplace_back("--json");
    return Json::parse(runTo(exitCode, server, std::move(arguments)).output);
}

} // namespace supplierd::tests
