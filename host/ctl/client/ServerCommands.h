#pragma once

#include "host/ctl/client/ServerConnection.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace supplierd::host {

class ControlContext;

/// Adds the commands that the server offers by its operators' API (GET /commands) to the command line, when `words`
/// name none of supplierctl's own. Without a server those of the installed plugins are added, for their help; then
/// calling one says that no server runs. Throws CommandFailure when a server that was named by --server, or whose
/// socket this user may not open, keeps a command from being known.
void addServerCommands(CLI::App& program, ControlContext& context, const std::vector<std::string>& words);

} // namespace supplierd::host
