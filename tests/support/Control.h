#pragma once

#include "tests/support/Json.h"
#include "tests/support/ServerProcess.h"

#include <string>
#include <vector>

namespace supplierd::tests {

/// supplierctl with this server's configuration, run to its end.
CommandResult runControl(const ServerProcess& server, std::vector<std::string> arguments);
/// The same; fails the test unless it ends with that code. Returns what it says on both outputs.
std::string requireControl(const ServerProcess& server, std::vector<std::string> arguments, int exitCode = 0);
/// The same with --json: what it prints.
Json controlJson(const ServerProcess& server, std::vector<std::string> arguments, int exitCode = 0);

} // namespace supplierd::tests
