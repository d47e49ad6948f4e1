#include "tests/host/ctl/ControlFixture.h"

#include <cppunit/TestAssert.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace supplierd::tests {

CommandResult ControlFixture::run(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment) {
    std::vector<std::string> all = {ServerProcess::controlProgram(), "--config", configFile()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return runCommand({.arguments = all, .environment = environment});
}

Json ControlFixture::runJson(std::vector<std::string> arguments, int exitCode) {
    arguments.emplace_back("--json");
    const auto result = run(arguments);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, exitCode, result.exitCode);
    return Json::parse(result.output);
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

std::string ControlFixture::audited() {
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database().integer("SELECT COUNT(*) FROM audit_log WHERE actor <> " +
                                                             database().quote(actor())));
    std::string text;
    for (const auto& row : database().query("SELECT action, object, object_id, supplier_id, before_json, after_json "
                                            "FROM audit_log ORDER BY id")) {
        std::string line;
        for (const auto& cell : row)
            line += (line.empty() ? "" : " ") + cell.value_or("-");
        text += line + "\n";
    }
    return text;
}

std::string ControlFixture::actor() {
    const char* const behindSudo = std::getenv("SUDO_USER");
    if (::getuid() == 0 && behindSudo && *behindSudo)
        return "local: " + std::string(behindSudo);
    const passwd* const entry = ::getpwuid(::getuid());
    return "local: " + (entry ? std::string(entry->pw_name) : std::to_string(::getuid()));
}

void ControlFixture::writeExtraConfiguration(const std::string& text) {
    writeWholeFile(server().directory() / "conf.d/95-more.toml", text);
}

} // namespace supplierd::tests
