#include "BrowserRun.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Test.h"

#include <cppunit/TestAssert.h>

#include <chrono>

namespace supplierd::tests {

void requireBrowser() {
    if (!std::filesystem::exists(SUPPLIERD_TEST_CHROMIUM))
        throw Skip("chromium-headless-shell is not installed");
}

void runInBrowser(const std::filesystem::path& script, const std::string& testCase, const std::string& root,
                  const std::string& area, std::map<std::string, std::string> environment) {
    environment["NPM"] = SUPPLIERD_TEST_BROWSER_NPM;
    environment["CHROMIUM"] = SUPPLIERD_TEST_CHROMIUM;
    environment["ROOT"] = root;
    environment["SCREENSHOTS"] = std::filesystem::path(SUPPLIERD_TEST_SCREENSHOTS) / area;
    const auto result =
        runCommand({.arguments = {"node", script.string(), testCase}, .environment = std::move(environment)},
                   std::chrono::minutes(15));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors + result.output, 0, result.exitCode);
}

} // namespace supplierd::tests
