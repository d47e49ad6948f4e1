#pragma once

// One function per group of commands; each adds its commands to the command line. A command does its work in the
// callback of CLI11, through the context, and throws CommandFailure, DatabaseError, ApiError or a file system error.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace supplierd::host {

class ControlContext;

void addSetupCommand(CLI::App& program, ControlContext& context);
void addMigrateCommand(CLI::App& program, ControlContext& context);
void addConfigCommands(CLI::App& program, ControlContext& context);
void addDoctorCommand(CLI::App& program, ControlContext& context);
void addPluginCommands(CLI::App& program, ControlContext& context);
void addSupplierCommands(CLI::App& program, ControlContext& context);
void addKeyCommands(CLI::App& program, ControlContext& context);
void addOperatorKeyCommands(CLI::App& program, ControlContext& context);
void addCategoryCommands(CLI::App& program, ControlContext& context);
void addProductCommands(CLI::App& program, ControlContext& context);
void addOrderCommands(CLI::App& program, ControlContext& context);
void addMediaCommands(CLI::App& program, ControlContext& context);
void addJobCommands(CLI::App& program, ControlContext& context);
void addTotalsCommands(CLI::App& program, ControlContext& context);
void addStatusCommand(CLI::App& program, ControlContext& context);
void addCompletionCommand(CLI::App& program, ControlContext& context);
void addAuditCommand(CLI::App& program, ControlContext& context);

/// The commands of an enabled plugin, if the command line `words` names one: `supplierctl <plugin> <command>`. What
/// keeps it from having them is told when it is called.
void addCommandsOfPlugin(CLI::App& program, ControlContext& context, const std::vector<std::string>& words);

} // namespace supplierd::host
