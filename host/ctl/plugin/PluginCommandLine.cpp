#include "host/config/NearestName.h"
#include "host/config/SettingsLoader.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/ProgressBar.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/observe/CurrentReason.h"
#include "host/plugins/PluginNoteReader.h"
#include "host/plugins/PluginOperations.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace supplierd::host {
namespace {

/// What was typed for one option.
struct OptionInput {
    CommandOption::Kind kind = CommandOption::Kind::Text;
    std::string text;
    std::int64_t number = 0;
    CLI::Option* option = nullptr;
};

class PluginCommandRun final : public CommandRun {
public:
    explicit PluginCommandRun(ControlContext& context) : _context(context) {}

    void declare(CLI::App& command, const CommandOption& option) {
        auto& input = _inputs[option.name];
        input.kind = option.kind;
        if (option.kind == CommandOption::Kind::Flag)
            input.option = command.add_flag(option.name, option.help);
        else if (option.kind == CommandOption::Kind::Integer)
            input.option = command.add_option(option.name, input.number, option.help);
        else
            input.option = command.add_option(option.name, input.text, option.help);
        input.option->required(option.isRequired);
    }

    std::optional<std::string> text(std::string_view name) const override {
        const auto& input = find(name, CommandOption::Kind::Text);
        return input.option->count() > 0 ? std::optional(input.text) : std::nullopt;
    }
    std::optional<std::int64_t> integer(std::string_view name) const override {
        const auto& input = find(name, CommandOption::Kind::Integer);
        return input.option->count() > 0 ? std::optional(input.number) : std::nullopt;
    }
    bool flag(std::string_view name) const override {
        return find(name, CommandOption::Kind::Flag).option->count() > 0;
    }
    const std::string& actor() const override { return _context.actor().name; }

    void print(const CommandTable& table) override {
        _progress.reset();
        std::vector<Listing::Column> columns;
        for (const auto& column : table.columns)
            columns.push_back({column.key, column.heading, kindOf(column.kind)});
        Listing listing(columns);
        for (const auto& row : table.rows) {
            if (row.size() != columns.size())
                throw std::logic_error("a row of the plugin has another number of cells than there are columns");
            listing.add(row);
        }
        _context.printListing(table.name, listing, table.whenEmpty);
    }
    void print(std::string_view sentence) override {
        _progress.reset();
        if (_context.json)
            _context.printJson([&](JsonWriter& json) { json.field("message", sentence); });
        else
            _context.out() << terminalLines(sentence) << "\n";
    }
    void hint(std::string_view line) override {
        _progress.reset();
        _context.err() << terminalLines(line) << "\n";
    }
    void progress(std::int64_t done, std::int64_t total) override {
        const auto size = [](std::int64_t count) { return static_cast<std::size_t>(std::max<std::int64_t>(0, count)); };
        if (!_progress || _total != total)
            _progress.emplace(_context.err(), _context.isInteractive(), size(total));
        _total = total;
        _progress->show(size(done), 0);
    }
    /// Ends the progress, whatever ends the command: it must not stand where an error is told.
    class Bar {
    public:
        explicit Bar(PluginCommandRun& run) : _run(run) {}
        ~Bar() { _run._progress.reset(); }
        Bar(const Bar&) = delete;
        Bar& operator=(const Bar&) = delete;

    private:
        PluginCommandRun& _run;
    };

private:
    static Listing::Kind kindOf(CommandTable::Kind kind) {
        switch (kind) {
        case CommandTable::Kind::Integer:
            return Listing::Kind::Integer;
        case CommandTable::Kind::Boolean:
            return Listing::Kind::Boolean;
        case CommandTable::Kind::Json:
            return Listing::Kind::Json;
        default:
            return Listing::Kind::Text;
        }
    }

    const OptionInput& find(std::string_view name, CommandOption::Kind kind) const {
        const auto found = _inputs.find(name);
        if (found == _inputs.end() || found->second.kind != kind)
            throw std::logic_error("the command has no option '" + std::string(name) + "' of this kind");
        return found->second;
    }

    ControlContext& _context;
    std::map<std::string, OptionInput, std::less<>> _inputs;
    std::optional<ProgressBar> _progress;
    std::int64_t _total = 0;
};

ExitCode exitCodeOf(CommandError::Code code) {
    switch (code) {
    case CommandError::Code::Usage:
        return ExitCode::Usage;
    case CommandError::Code::NotAllowed:
        return ExitCode::NotAllowed;
    default:
        return ExitCode::Failed;
    }
}

void addCommandOfPlugin(CLI::App& group, ControlContext& context, const Command& command) {
    auto* const added = group.add_subcommand(command.name, command.help);
    auto run = std::make_shared<PluginCommandRun>(context);
    for (const CommandOption& option : command.options)
        run->declare(*added, option);
    added->callback([run, work = command.run] {
        const PluginCommandRun::Bar bar(*run);
        try {
            work(*run);
        } catch (const CommandError& error) {
            throw CommandFailure(error.what(), exitCodeOf(error.code()));
        }
    });
}

/// The first words that are no options, at most two: a group, which may be a plugin's id, and a command; takes --config
/// on the way.
std::vector<std::string> firstWords(ControlContext& context, const std::vector<std::string>& words) {
    constexpr std::string_view CONFIG = "--config=";
    if (const char* const file = std::getenv("SUPPLIERD_CONFIG"))
        context.configFile = file;
    std::vector<std::string> found;
    for (std::size_t i = 0; i < words.size() && found.size() < 2; ++i) {
        const std::string& word = words[i];
        if ((word == "-c" || word == "--config") && i + 1 < words.size())
            context.configFile = words[++i];
        else if (word.starts_with(CONFIG))
            context.configFile = word.substr(CONFIG.size());
        else if (!word.starts_with("-"))
            found.push_back(word);
    }
    return found;
}

CLI::App* commandNamed(CLI::App& parent, const std::string& word) {
    const auto commands = parent.get_subcommands([](CLI::App*) { return true; });
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* command) { return command->get_name() == word; });
    return found == commands.end() ? nullptr : *found;
}

/// Rather one of supplierctl's own, written wrong.
bool isSlipOfThePen(const CLI::App& parent, const std::string& word) {
    std::vector<std::string> names;
    for (const auto* command : parent.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return !suggestion(word, names).empty();
}

/// Throws, for what is no command of supplierctl itself, why nobody knows whether a plugin brings it, if the
/// configuration is why.
void requireConfigurationFor(const std::string& command, ControlContext& context) {
    try {
        context.settings();
    } catch (const CommandFailure& failure) {
        throw CommandFailure(fmt::format("the configuration could not be read, so whether a plugin brings the command "
                                         "'{}' is not known: {}",
                                         command, failure.what()),
                             failure.exitCode());
    }
}

/// Plugins are started only for who asks for a command that supplierctl itself does not have, or for help. `command`:
/// empty when none was named.
void addToGroup(CLI::App& group, ControlContext& context, const std::string& configFile, const std::string& command) {
    if (!PluginOperations::isGroup(group.get_name()) || commandNamed(group, command) != nullptr)
        return;
    const std::string before = std::exchange(context.configFile, configFile);
    if (!command.empty() && !isSlipOfThePen(group, command))
        requireConfigurationFor(group.get_name() + " " + command, context);
    try {
        for (const Command& added : context.operations("").commandsIn(group.get_name()))
            if (commandNamed(group, added.name) == nullptr)
                addCommandOfPlugin(group, context, added);
    } catch (const std::exception&) { // without a database, say, there is help all the same
        context.configFile = before;
        if (!command.empty())
            context.err() << "supplierctl: the commands of plugins are not known: " << terminalLines(currentReason())
                          << "\n";
    }
}

struct UnknownCommand {
    const std::string& configFile;
    const std::string& word;
};
struct PluginSearch {
    const Settings& settings;
    const Diagnostics& problems;
    const std::error_code& error; ///< of the look into the folder of enabled plugins
};

/// Throws why the plugin of that name is not known, if it may be one: its configuration cannot be read, or it is not
/// enabled.
void reportMissingPlugin(ControlContext& context, const UnknownCommand& command, const PluginSearch& search) {
    context.configFile = command.configFile;
    if (search.problems.hasErrors())
        requireConfigurationFor(command.word, context);
    const auto& server = search.settings.server;
    if (search.error)
        throw CommandFailure(fmt::format("which plugins are enabled could not be read, so whether one brings the "
                                         "command '{}' is not known: {}: {}",
                                         command.word, server.pluginsEnabled.string(), search.error.message()),
                             search.error == std::errc::permission_denied ? ExitCode::NotAllowed : ExitCode::Failed);
    std::error_code ignored; // then there is no such file for us
    if (std::filesystem::exists(server.pluginDir / (command.word + ".so"), ignored))
        throw CommandFailure(
            fmt::format("the plugin '{0}' is not enabled; run: supplierctl plugin enable {0}", command.word),
            ExitCode::Usage);
}

} // namespace

void addCommandsOfPlugin(CLI::App& program, ControlContext& context, const std::vector<std::string>& words) {
    const std::string before = context.configFile;
    const std::vector<std::string> named = firstWords(context, words);
    const std::string configFile = std::exchange(context.configFile, before);
    if (named.empty() || !isPluginId(named.front()))
        return;
    const std::string& id = named.front();
    if (CLI::App* const group = commandNamed(program, id)) {
        addToGroup(*group, context, configFile, named.size() > 1 ? named[1] : "");
        return;
    }
    Diagnostics problems; // of a plugin that is enabled they are told when it is used
    const auto settings = loadSettings(configFile, problems);
    std::error_code error;
    if (!std::filesystem::exists(settings.server.pluginsEnabled / (id + ".so"), error)) {
        if (!isSlipOfThePen(program, id))
            reportMissingPlugin(context, {configFile, id}, {settings, problems, error});
        return; // told like any other
    }
    context.configFile = configFile;
    const auto commands = context.operations(id).commandsOf(id);
    if (commands.empty())
        throw CommandFailure("plugin '" + id + "' brings no commands", ExitCode::Usage);
    auto* const group = program.add_subcommand(id, "Commands of the plugin '" + id + "'");
    group->require_subcommand(1);
    for (const Command& command : commands)
        addCommandOfPlugin(*group, context, command);
}

} // namespace supplierd::host
