#include "BrowserRun.h"

#include "tests/support/ChildProcess.h"

#include <cppunit/TestAssert.h>

#include <chrono>
#include <cstdio>

namespace supplierd::tests {

bool hasBrowser() {
    const bool isThere = std::filesystem::exists(SUPPLIERD_TEST_CHROMIUM);
    if (!isThere)
        std::printf("skipped, chromium is not installed ... ");
    return isThere;
}

void runInBrowser(const std::filesystem::path& script, const std::string& testCase, const std::string& root,
                  const std::string& area, std::map<std::string, std::string> environment) {
    environment["NPM"] = SUPPLIERD_TEST_BROWSER_NPM;
    environment["CHROMIUM"] = SUPPLIERD_TEST_CHROMIUM;
    environment["ROOT"] = root;
    environment["SCREENSHOTS"] = std::filesystem::path(SUPPLIERD_TEST_SCREENSHOTS) / area;
    const auto result =
        runCommand({.arguments = {"node", script.string(), testCase}, .environment = std::move(environment)},
                   std::chrono::minutes(10));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors + result.output, 0, result.exitCode);
}

} // namespace supplierd::tests
