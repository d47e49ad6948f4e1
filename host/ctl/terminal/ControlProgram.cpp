#include "host/ctl/terminal/ControlProgram.h"

#include "host/Version.h"
#include "host/auth/MaskedKeys.h"
#include "host/ctl/terminal/CommandExamples.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/Completion.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/MistypedCommand.h"
#include "host/ctl/terminal/TerminalText.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <string>

namespace supplierd::host {
namespace {

constexpr const char* FOOTER = R"(
Exit codes: 0 done, 1 failed, 2 wrong usage, 4 not allowed (by the database or the file system).
The database's password comes from the configuration or from SUPPLIERD_DATABASE_PASSWORD, never from an argument.

Plugins may bring commands of their own: `supplierctl PLUGIN --help`.
`supplierctl COMMAND --help` tells what a command does, with examples.)";

/// Server errors that say: this account may not do that.
const std::set<unsigned> ACCESS_DENIED = {1044, 1045, 1130, 1142, 1143, 1227, 1370, 1698, 4151};
constexpr unsigned NO_SUCH_TABLE = 1146;
constexpr unsigned NO_SUCH_COLUMN = 1054;

void buildCommandLine(CLI::App& program, ControlContext& context) {
    program.name("supplierctl");
    program.set_version_flag("--version", std::string("supplierctl ") + VERSION);
    program.set_help_flag("-h,--help", "Print this help");
    program.fallthrough();
    program.add_option("-c,--config", context.configFile, "The server's configuration file")
        ->envname("SUPPLIERD_CONFIG")
        ->capture_default_str()
        ->type_name("FILE");
    program.add_flag("--json", context.json, "Print one JSON object instead of text");
    addSetupCommand(program, context);
    addMigrateCommand(program, context);
    addConfigCommands(program, context);
    addDoctorCommand(program, context);
    addStatusCommand(program, context);
    addPluginCommands(program, context);
    addSupplierCommands(program, context);
    addKeyCommands(program, context);
    addOperatorKeyCommands(program, context);
    addCategoryCommands(program, context);
    addProductCommands(program, context);
    addOrderCommands(program, context);
    addMediaCommands(program, context);
    addJobCommands(program, context);
    addTotalsCommands(program, context);
    addAuditCommand(program, context);
    addCompletionCommand(program, context);
    program.require_subcommand(1);
    addExamples(program);
    program.footer(FOOTER); // last: a command that is added has its program's
}

CommandFailure describeDatabaseError(const DatabaseError& error) {
    const std::string message = std::string("database: ") + error.what();
    if (ACCESS_DENIED.contains(error.code()))
        return CommandFailure(message, ExitCode::NotAllowed);
    if (error.code() == NO_SUCH_TABLE || error.code() == NO_SUCH_COLUMN)
        return CommandFailure(message + "; the schema is not up to date: run `supplierctl migrate`");
    return CommandFailure(message);
}

CommandFailure describeApiError(const ApiError& error) {
    std::string message = error.message();
    for (std::size_t i = 1; i < error.details().size(); ++i)
        message += "\n" + error.details()[i].message;
    return CommandFailure(message);
}

CommandFailure describeFileError(const std::filesystem::filesystem_error& error) {
    const bool denied = error.code() == std::errc::permission_denied ||
                        error.code() == std::errc::operation_not_permitted ||
                        error.code() == std::errc::read_only_file_system;
    return CommandFailure(error.what(), denied ? ExitCode::NotAllowed : ExitCode::Failed);
}

std::string_view codeName(ExitCode code) {
    switch (code) {
    case ExitCode::Usage:
        return "usage";
    case ExitCode::NotAllowed:
        return "not_allowed";
    default:
        return "failed";
    }
}

int report(const CommandFailure& failure, ControlContext& context) {
    context.hints() << "supplierctl: " << terminalLines(failure.what()) << "\n";
    if (context.json)
        context.printJson([&](JsonWriter& json) {
            json.key("error").beginObject();
            json.field("code", codeName(failure.exitCode())).field("message", std::string_view(failure.what()));
            json.endObject();
        });
    return static_cast<int>(failure.exitCode());
}

int reportUsage(const CLI::ParseError& error, const CLI::App& program, ControlContext& context, int argc,
                const char* const* argv) {
    for (int i = 1; i < argc; ++i) // a command line that cannot be read may still ask for JSON
        context.json = context.json || std::string_view(argv[i]) == "--json";
    const auto mistyped = describeMistypedCommand(program, argc, argv);
    const std::string message = mistyped.empty() ? error.what() : mistyped;
    return report(CommandFailure(maskedKeys(message) + "\nRun with --help to see what there is.", ExitCode::Usage),
                  context);
}

} // namespace

int runControlProgram(int argc, const char* const* argv, std::ostream& out, std::ostream& errors) {
    ControlContext context(out, errors);
    CLI::App program("Administers supplierd. Works on the database directly, so the server need not run.");
    buildCommandLine(program, context);
    if (argc > 1 && argv[1] == std::string_view(COMPLETION_WORD)) {
        try {
            addCommandsOfPlugin(program, context, {argv + 2, argv + argc});
        } catch (const std::exception&) { // then they are not offered; whoever calls one is told why
        }
        for (const auto& line : completionsFor(program, context, {argv + 2, argv + argc}))
            out << line << "\n";
        return static_cast<int>(ExitCode::Ok);
    }
    try {
        addCommandsOfPlugin(program, context, {argv + std::min(argc, 1), argv + argc});
        program.parse(argc, argv);
        if (!out.flush()) // a full disk, a closed pipe: what was done is done, but nobody read the answer
            throw CommandFailure("it was done, but the result could not be written");
        return static_cast<int>(ExitCode::Ok);
    } catch (const CLI::Success& success) { // --help, --version
        return program.exit(success, out, errors);
    } catch (const CLI::RuntimeError& ended) { // a command that has said everything, and failed
        return ended.get_exit_code();
    } catch (const CLI::ParseError& error) {
        return reportUsage(error, program, context, argc, argv);
    } catch (const CommandFailure& failure) {
        return report(failure, context);
    } catch (const DatabaseError& error) {
        return report(describeDatabaseError(error), context);
    } catch (const ApiError& error) {
        return report(describeApiError(error), context);
    } catch (const std::filesystem::filesystem_error& error) {
        return report(describeFileError(error), context);
    } catch (const std::exception& error) {
        return report(CommandFailure(error.what()), context);
    }
}

} // namespace supplierd::host
