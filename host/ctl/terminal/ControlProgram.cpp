#include "host/Version.h"
#include "host/auth/ApiKey.h"
#include "host/config/NearestName.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

namespace {

std::vector<std::string> optionNames(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* app = &command; app != nullptr; app = app->get_parent())
        for (const auto* option : app->get_options())
            for (const auto& name : option->get_lnames())
                names.push_back("--" + name);
    return names;
}

/// Whether the word is an option whose value is the next one.
bool takesNextWord(const CLI::App& command, const std::string& word) {
    if (!word.starts_with("-"))
        return false;
    for (const auto* app = &command; app != nullptr; app = app->get_parent())
        if (const auto* const option = app->get_option_no_throw(word))
            return option->get_expected_max() > 0;
    return false;
}

std::string fullName(const CLI::App& command) {
    const auto* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : fullName(*parent) + " " + command.get_name();
}

/// "there is no command 'suplier'; did you mean 'supplier'?" for the first word that is no command where one is
/// expected; empty when the words are all known. Likewise for an unknown option of a known command.
std::string describeMistypedCommand(const CLI::App& program, int argc, const char* const* argv) {
    const auto* command = &program;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--")
            break;
        if (takesNextWord(*command, word)) {
            ++i;
            continue;
        }
        if (word.starts_with("--")) {
            const auto name = word.substr(0, word.find('='));
            const auto known = optionNames(*command);
            if (std::find(known.begin(), known.end(), name) == known.end() && commandNames(*command).empty())
                return "'" + fullName(*command) + "' has no option '" + name + "'" + suggestion(name, known);
            continue;
        }
        const auto names = commandNames(*command);
        if (word.starts_with("-") || names.empty())
            continue;
        auto* const next = commandNamed(*command, word);
        if (next == nullptr)
            return "there is no command '" + fullName(*command) + " " + word + "'" + suggestion(word, names);
        command = next;
    }
    return {};
}

/// As they are typed behind the name of the command.
const std::vector<std::pair<std::string, std::vector<std::string>>> EXAMPLES{
    {"setup", {"", "--yes --json"}},
    {"migrate", {"--plan", ""}},
    {"config check", {"", "--json"}},
    {"config show", {"", "--json"}},
    {"doctor", {"", "--json"}},
    {"status", {"", "--json"}},
    {"plugin list", {""}},
    {"plugin enable", {"categories catalog inventory"}},
    {"plugin disable", {"inventory"}},
    {"plugin remove", {"--data price-alerts --dry-run", "--data price-alerts"}},
    {"plugin new", {"price-alerts --route 'GET /alerts/{id:int}'"}},
    {"plugin run", {"build/price-alerts.so", "build/price-alerts.so --port 8080 --with orders"}},
    {"plugin validate", {"build/price-alerts.so"}},
    {"backup create", {"/srv/backups/2026-11-22", "/srv/backups/2026-11-22 --defaults-file /root/backup.cnf --json"}},
    {"backup verify", {"/srv/backups/2026-11-22", "/srv/backups/2026-11-22 --checksums-only"}},
    {"backup restore", {"/srv/backups/2026-11-22 --datadir /var/lib/mysql --media /var/lib/supplierd/media --yes"}},
    {"backup renumber", {""}},
    {"webhooks listen",
     {"--server https://market.example --key-file key --forward http://localhost:3000/hooks",
      "--server https://market.example --key-file key --forward http://localhost:3000/hooks --replay 4711"}},
    {"completion", {"bash > ~/.local/share/bash-completion/completions/supplierctl"}},
};

/// Throws CLI::OptionNotFound when there are some for a command that does not exist.
void addExamples(CLI::App& program) {
    for (const auto& [name, examples] : EXAMPLES) {
        auto* command = &program;
        std::istringstream words{name};
        for (std::string word; words >> word;)
            command = command->get_subcommand(word);
        command->footer(footerOf(command->get_footer(), name, examples));
    }
}

constexpr const char* FOOTER = R"(
The server of this machine is asked over its Unix socket, another one with --server and an operator's key.
Exit codes: 0 done, 1 failed, 2 wrong usage, 4 not allowed (by the server, the database or the file system).
The database's password comes from the configuration or from SUPPLIERD_DATABASE_PASSWORD, never from an argument;
that of Redis, likewise, from SUPPLIERD_REDIS_PASSWORD.

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
    context.server.addTo(program);
    addSetupCommand(program, context);
    addMigrateCommand(program, context);
    addConfigCommands(program, context);
    addDoctorCommand(program, context);
    addStatusCommand(program, context);
    addPluginCommands(program, context);
    addBackupCommands(program, context);
    addWebhookListenCommand(program, context);
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

int report(const CommandFailure& failure, ControlContext& context) {
    const auto message = maskedKeys(failure.what());
    context.err() << "supplierctl: " << terminalLines(message) << "\n";
    const auto* const code = failure.exitCode() == ExitCode::Usage        ? "usage"
                             : failure.exitCode() == ExitCode::NotAllowed ? "not_allowed"
                                                                          : "failed";
    if (context.json)
        context.print({{"error", {{"code", code}, {"message", message}}}});
    return static_cast<int>(failure.exitCode());
}

int reportUsage(const CLI::ParseError& error, const CLI::App& program, ControlContext& context, int argc,
                const char* const* argv) {
    for (int i = 1; i < argc; ++i) // a command line that cannot be read may still ask for JSON
        context.json = context.json || std::string_view(argv[i]) == "--json";
    const auto mistyped = describeMistypedCommand(program, argc, argv);
    const std::string message = mistyped.empty() ? error.what() : mistyped;
    return report(CommandFailure(message + "\nRun with --help to see what there is.", ExitCode::Usage), context);
}

} // namespace

std::vector<CLI::App*> commandsOf(const CLI::App& parent) {
    std::vector<CLI::App*> commands;
    for (const auto* command : parent.get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(const_cast<CLI::App*>(command)); // CLI11 gives them so, of a constant parent
    return commands;
}

CLI::App* commandNamed(const CLI::App& parent, const std::string& name) {
    const auto commands = commandsOf(parent);
    const auto found = std::ranges::find(commands, name, &CLI::App::get_name);
    return found == commands.end() ? nullptr : *found;
}

std::vector<std::string> commandNames(const CLI::App& parent) {
    std::vector<std::string> names;
    for (const auto* command : commandsOf(parent))
        names.push_back(command->get_name());
    return names;
}

std::string wrapped(const std::string& text, std::size_t columns) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) {
        const auto indent = line.starts_with(' ') ? std::min(line.find_first_not_of(" 0123456789."), line.size()) : 0;
        while (line.size() > columns) {
            const auto space = line.rfind(' ', columns);
            if (space == std::string::npos || space <= indent)
                break;
            result += line.substr(0, space) + "\n";
            line.replace(0, space + 1, std::string(indent, ' '));
        }
        result += line + "\n";
    }
    return result.substr(0, result.empty() ? 0 : result.size() - 1);
}

std::string footerOf(std::string notes, const std::string& command, const std::vector<std::string>& examples) {
    if (!examples.empty())
        notes += notes.empty() ? "Examples:" : "\n\nExamples:";
    for (const auto& example : examples)
        notes += "\n  supplierctl " + command + (example.empty() ? "" : " ") + example;
    return notes;
}

int runControlProgram(int argc, const char* const* argv, std::ostream& out, std::ostream& errors) {
    ControlContext context(out, errors);
    CLI::App program(
        "Administers supplierd: sets it up and examines it, and is a client of a running server for everything else.");
    buildCommandLine(program, context);
    if (argc > 1 && argv[1] == std::string_view(COMPLETION_WORD)) {
        try {
            addServerCommands(program, context, {argv + 2, argv + argc});
        } catch (const std::exception&) { // then they are not offered; whoever calls one is told why
        }
        for (const auto& line : completionsFor(program, context, {argv + 2, argv + argc}))
            out << line << "\n";
        return static_cast<int>(ExitCode::Ok);
    }
    try {
        addServerCommands(program, context, {argv + std::min(argc, 1), argv + argc});
        program.parse(argc, argv);
        if (!out.flush()) // a full disk, a closed pipe: what was done is done, but nobody read the answer
            throw CommandFailure("it was done, but the result could not be written");
        return static_cast<int>(ExitCode::Ok);
    } catch (const CLI::Success& success) { // --help, --version
        return program.exit(success, out, errors);
    } catch (const ReportedFailure& reported) {
        return static_cast<int>(reported.exitCode);
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
    } catch (const ResponseJson::exception&) {
        return report(CommandFailure(std::string("the server's answer is not what this supplierctl, ") + VERSION +
                                     ", understands: is the server of another version?"),
                      context);
    } catch (const std::exception& error) {
        return report(CommandFailure(error.what()), context);
    }
}

} // namespace supplierd::host
