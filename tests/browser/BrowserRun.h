#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace supplierd::tests {

/// Skips the test when there is no browser.
void requireBrowser();

/// Runs a script that uses tests/browser/browser.mjs with node, and fails with what it prints unless it ends well.
/// `root`: of the server, "http://127.0.0.1:8080". Screenshots go to build/<preset>/screenshots/<area>.
void runInBrowser(const std::filesystem::path& script, const std::string& testCase, const std::string& root,
                  const std::string& area, std::map<std::string, std::string> environment = {});

} // namespace supplierd::tests
