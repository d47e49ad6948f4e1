#include "host/config/NearestName.h"
#include "host/ctl/client/CommandCall.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"
#include "host/openapi/CommandTable.h"
#include "host/openapi/OpenApiDocument.h"
#include "host/plugins/PluginInspection.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace supplierd::host {

namespace {

/// A server that hangs must not keep --help and completion waiting.
constexpr std::chrono::seconds PATIENCE{5};
constexpr std::size_t COLUMNS = 100;
/// Of which supplierctl has a command, and the server the others.
constexpr const char* SHARED_GROUP = "webhooks";

/// The first two words that are no option and no option's value; "" for those that are not there. Takes the options
/// that say which server is meant.
std::pair<std::string, std::string> firstWords(ControlContext& context, const std::vector<std::string>& words) {
    CLI::App options;
    options.set_help_flag();
    options.allow_extras();
    options.add_option("-c,--config", context.configFile)->envname("SUPPLIERD_CONFIG");
    context.server.addTo(options);
    try {
        options.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError&) {
        return {}; // told when the whole command line is read
    }
    auto rest = options.remaining();
    std::erase_if(rest, [](const std::string& word) { return word.starts_with("-"); });
    rest.resize(2);
    return {rest[0], rest[1]};
}

/// Of a group that the server has commands of, too, those that are supplierctl's alone.
bool isOwn(const CLI::App& program, const std::string& first, const std::string& second) {
    const CLI::App* const command = first.empty() ? nullptr : commandNamed(program, first);
    return command && (first != SHARED_GROUP || commandNamed(*command, second));
}

/// What plugins that are installed here would offer.
ResponseJson rowsOfInstalledPlugins(ControlContext& context) {
    try {
        Diagnostics ignored;
        const auto plugins = loadPlugins(context.settings(), ignored);
        std::vector<std::string> problems;
        return commandTable(OpenApiJson::parse(openApiDocument(Audience::Operator, plugins.plugins(), problems)),
                            problems);
    } catch (const std::exception&) { // for help alone: why no server can be asked is what is reported
        return ResponseJson::array();
    }
}

/// "Suppliers: add, list" for a group that has no help of its own.
void describeGroup(CLI::App& group) {
    group.description(fmt::format("{}", fmt::join(commandNames(group), ", ")));
}

/// What a server of strangers sends must not command the terminal of who asks it for help.
ResponseJson safeForTerminals(ResponseJson value) {
    if (value.is_string())
        return terminalLines(value.get<std::string>());
    if (value.is_structured())
        for (auto& part : value)
            part = safeForTerminals(std::move(part));
    return value;
}

void addCommand(CLI::App& program, ControlContext& context, const ResponseJson& row,
                const std::optional<CommandFailure>& unreachable) {
    CLI::App* parent = &program;
    std::istringstream words(row.at("name").get<std::string>());
    std::string word;
    words >> word;
    for (std::string next; words >> next; word = next) {
        auto* group = commandNamed(*parent, word);
        if (!group) {
            group = parent->add_subcommand(word, "");
            group->require_subcommand(1);
        }
        parent = group;
    }
    if (commandNamed(*parent, word))
        return; // supplierctl's own
    auto* const command = parent->add_subcommand(word, row.value("help", ""));
    auto call = std::make_shared<CommandCall>(context, row);
    try {
        command->footer(footerOf(wrapped(row.value("notes", ""), COLUMNS), row.value("name", ""),
                                 row.value("examples", std::vector<std::string>())));
        call->declare(*command);
    } catch (...) { // a half of a command would do nothing, and say that it went well
        parent->remove_subcommand(command);
        throw;
    }
    command->callback([call, unreachable] {
        if (unreachable)
            throw *unreachable;
        call->run();
    });
    if (parent != &program)
        describeGroup(*parent);
}

/// Rather one of supplierctl's own, written wrong.
bool isSlipOfThePen(const CLI::App& program, const std::string& word) {
    return !suggestion(word, commandNames(program)).empty();
}

} // namespace

void addServerCommands(CLI::App& program, ControlContext& context, const std::vector<std::string>& words) {
    const auto [first, second] = firstWords(context, words);
    if (isOwn(program, first, second)) {
        if (context.server.isGiven() && first != "backup" && first != SHARED_GROUP) // they ask one
            throw CommandFailure(fmt::format("'supplierctl {}' is about what is installed on this machine, and takes "
                                             "neither --server nor --profile",
                                             first),
                                 ExitCode::Usage);
        return;
    }
    std::optional<CommandFailure> unreachable;
    ResponseJson rows;
    try {
        rows = context.connection().data({.path = "/commands", .patience = PATIENCE}).value("commands", ResponseJson());
        if (!rows.is_array())
            throw CommandFailure(context.connection().address().describe() + " sends no commands: it is no supplierd, "
                                                                             "or one of another version");
    } catch (const CommandFailure& failure) {
        unreachable = failure;
        rows = rowsOfInstalledPlugins(context);
    }
    for (const auto& row : rows)
        try {
            addCommand(program, context, safeForTerminals(row), unreachable);
        } catch (const ResponseJson::exception&) { // of a server of another version: the others are good all the same
            continue;
        } catch (const CLI::ConstructionError&) {
            continue;
        }
    const auto* const known = first.empty() ? nullptr : commandNamed(program, first);
    const bool isUnknown = first == SHARED_GROUP ? !second.empty() && !commandNamed(*known, second)
                                                 : !known && !isSlipOfThePen(program, first);
    if (unreachable && !first.empty() && isUnknown)
        throw *unreachable;
}

} // namespace supplierd::host
