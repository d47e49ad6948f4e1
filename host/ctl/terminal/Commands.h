#pragma once

#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

// One function per group of commands; each adds its commands to the command line. A command does its work in the
// callback of CLI11, through the context, and throws CommandFailure, DatabaseError, ApiError or a file system error.

namespace CLI {
class App;
}

namespace supplierd::host {

class ControlContext;

/// What supplierctl ends with; scripts rely on the numbers.
enum class ExitCode { Ok = 0, Failed = 1, Usage = 2, NotAllowed = 4 };

/// A command cannot do what it was asked. The message is for the operator: what was found and what to do.
class CommandFailure : public std::runtime_error {
public:
    explicit CommandFailure(const std::string& message, ExitCode exitCode = ExitCode::Failed)
        : std::runtime_error(message), _exitCode(exitCode) {}

    ExitCode exitCode() const noexcept { return _exitCode; }

private:
    ExitCode _exitCode;
};

/// The same, of a command that has said everything already.
struct ReportedFailure {
    ExitCode exitCode = ExitCode::Failed;
};

void addSetupCommand(CLI::App& program, ControlContext& context);
void addMigrateCommand(CLI::App& program, ControlContext& context);
void addConfigCommands(CLI::App& program, ControlContext& context);
void addDoctorCommand(CLI::App& program, ControlContext& context);
void addPluginCommands(CLI::App& program, ControlContext& context);
void addBackupCommands(CLI::App& program, ControlContext& context);
void addStatusCommand(CLI::App& program, ControlContext& context);
void addWebhookListenCommand(CLI::App& program, ControlContext& context);
void addCompletionCommand(CLI::App& program, ControlContext& context);

void addBackupCreateCommand(CLI::App& backup, ControlContext& context);
void addBackupVerifyCommand(CLI::App& backup, ControlContext& context);
void addBackupRestoreCommand(CLI::App& backup, ControlContext& context);

void addPluginNewCommand(CLI::App& plugin, ControlContext& context);
void addPluginRunCommand(CLI::App& plugin, ControlContext& context);
void addPluginValidateCommand(CLI::App& plugin, ControlContext& context);

/// Adds the commands that the server offers by its operators' API (GET /commands) to the command line, when `words`
/// name none of supplierctl's own. Without a server those of the installed plugins are added, for their help; then
/// calling one says that no server runs. Throws CommandFailure when a server that was named by --server, or whose
/// socket this user may not open, keeps a command from being known.
void addServerCommands(CLI::App& program, ControlContext& context, const std::vector<std::string>& words);

/// All commands of a group.
std::vector<CLI::App*> commandsOf(const CLI::App& parent);
/// Null when the group has no such command.
CLI::App* commandNamed(const CLI::App& parent, const std::string& name);
std::vector<std::string> commandNames(const CLI::App& parent);
/// Lines of so many bytes at most; the rest of one that begins with spaces, or with them and a number, stands below its
/// text.
std::string wrapped(const std::string& text, std::size_t columns);
/// What stands below the help of a command: its notes, then the examples as they are typed behind its name.
std::string footerOf(std::string notes, const std::string& command, const std::vector<std::string>& examples);

/// The word before which shells ask what could be typed next: `supplierctl __complete WORD... PREFIX`.
constexpr const char* COMPLETION_WORD = "__complete";

/// What could stand for the last of `words` (what was typed of it, may be empty), behind the others: lines
/// "value<TAB>what it is", and ":files" where a file is wanted. From the command line itself, so it is never older than
/// that. Reads ids of plugins from the folder of plugins; no database. Throws nothing for a wrong command line.
std::vector<std::string> completionsFor(const CLI::App& program, ControlContext& context,
                                        const std::vector<std::string>& words);

/// supplierctl: reads the arguments, runs the command, returns the exit code. Results go to `out`, warnings and errors
/// to `errors`; with --json an error is an object on `out` too.
int runControlProgram(int argc, const char* const* argv, std::ostream& out, std::ostream& errors);

} // namespace supplierd::host
