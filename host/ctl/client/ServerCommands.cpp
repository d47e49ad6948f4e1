#include "host/ctl/client/ServerCommands.h"

#include "host/config/NearestName.h"
#include "host/ctl/client/CommandCall.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/openapi/CommandTable.h"
#include "host/openapi/OpenApiDocument.h"
#include "host/plugins/PluginLook.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

namespace supplierd::host {

namespace {

CLI::App* commandNamed(const CLI::App& parent, const std::string& word) {
    const auto commands = parent.get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* command) { return command->get_name() == word; });
    return found == commands.end() ? nullptr
                                   : const_cast<CLI::App*>(*found); // CLI11 gives them so, of a constant parent
}

/// The first word that is no option and no option's value; "" when there is none. Takes the options that say which
/// server is meant.
std::string firstWord(ControlContext& context, const std::vector<std::string>& words) {
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
    for (const auto& word : options.remaining())
        if (!word.starts_with("-"))
            return word;
    return {};
}

/// What plugins that are installed here would offer.
AnswerJson rowsOfInstalledPlugins(ControlContext& context) {
    try {
        Diagnostics ignored;
        const auto plugins = loadPlugins(context.settings(), ignored);
        std::vector<std::string> problems;
        return commandTable(OpenApiJson::parse(openApiDocument(Audience::Operator, plugins.plugins())), problems);
    } catch (const std::exception&) { // for help alone: why no server can be asked is what is reported
        return AnswerJson::array();
    }
}

std::string footerOf(const AnswerJson& row) {
    std::string text = row.value("notes", "");
    if (!row.contains("examples"))
        return text;
    text += text.empty() ? "Examples:" : "\n\nExamples:";
    for (const auto& example : row["examples"]) {
        const auto words = example.get<std::string>();
        text += fmt::format("\n  supplierctl {}{}{}", row.value("name", ""), words.empty() ? "" : " ", words);
    }
    return text;
}

/// "Suppliers: add, list" for a group that has no help of its own.
void describeGroup(CLI::App& group) {
    std::string names;
    for (const auto* command : group.get_subcommands([](const CLI::App*) { return true; }))
        names += (names.empty() ? "" : ", ") + command->get_name();
    group.description(names);
}

void addCommand(CLI::App& program, ControlContext& context, const AnswerJson& row,
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
    command->footer(footerOf(row));
    auto call = std::make_shared<CommandCall>(context, row);
    call->declare(*command);
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
    std::vector<std::string> names;
    for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return !suggestion(word, names).empty();
}

} // namespace

void addServerCommands(CLI::App& program, ControlContext& context, const std::vector<std::string>& words) {
    const auto first = firstWord(context, words);
    if (!first.empty() && commandNamed(program, first))
        return;
    std::optional<CommandFailure> unreachable;
    AnswerJson rows;
    try {
        rows = context.connection().data({.path = "/commands"}).at("commands");
    } catch (const CommandFailure& failure) {
        unreachable = failure;
        rows = rowsOfInstalledPlugins(context);
    }
    for (const auto& row : rows)
        addCommand(program, context, row, unreachable);
    if (unreachable && !first.empty() && !commandNamed(program, first) && !isSlipOfThePen(program, first))
        throw *unreachable;
}

} // namespace supplierd::host
