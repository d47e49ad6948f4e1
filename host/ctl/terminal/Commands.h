#pragma once

#include <ostream>
#include <string>
#include <vector>

// One function per group of commands; each adds its commands to the command line. A command does its work in the
// callback of CLI11, through the context, and throws CommandFailure, DatabaseError, ApiError or a file system error.

namespace CLI {
class App;
}

// Those of the commands `supplierctl plugin …` that have a file of their own; `plugin` is the group.

namespace CLI {
class App;
}

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
void addBackupCommands(CLI::App& program, ControlContext& context);
void addStatusCommand(CLI::App& program, ControlContext& context);
void addCompletionCommand(CLI::App& program, ControlContext& context);

void addPluginDataCommand(CLI::App& plugin, ControlContext& context);
void addPluginNewCommand(CLI::App& plugin, ControlContext& context);
void addPluginRunCommand(CLI::App& plugin, ControlContext& context);
void addPluginValidateCommand(CLI::App& plugin, ControlContext& context);

/// The word before which shells ask what could be typed next: `supplierctl __complete WORD... PREFIX`.
constexpr const char* COMPLETION_WORD = "__complete";

/// What could stand for the last of `words` (what was typed of it, may be empty), behind the others: lines
/// "value<TAB>what it is", and ":files" where a file is wanted. From the command line itself, so it is never older than
/// that. Reads ids of plugins from the folder of plugins; no database. Throws nothing for a wrong command line.
std::vector<std::string> completionsFor(const CLI::App& program, ControlContext& context,
                                        const std::vector<std::string>& words);

/// supplierctl: reads the arguments, runs the command, returns the exit code (see CommandFailure.h). Results go to
/// `out`, warnings and errors to `errors`; with --json an error is an object on `out` too.
int runControlProgram(int argc, const char* const* argv, std::ostream& out, std::ostream& errors);

} // namespace supplierd::host
