#include "host/ctl/terminal/MistypedCommand.h"

#include "host/config/NearestName.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace supplierd::host {
namespace {

const CLI::App* findCommand(const CLI::App& parent, const std::string& name) {
    const auto commands = parent.get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* command) { return command->get_name() == name; });
    return found == commands.end() ? nullptr : *found;
}

std::vector<std::string> commandNames(const CLI::App& parent) {
    std::vector<std::string> names;
    for (const auto* command : parent.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> optionNames(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* app = &command; app != nullptr; app = app->get_parent())
        for (const auto* option : app->get_options())
            for (const auto& name : option->get_lnames())
                names.push_back("--" + name);
    return names;
}

std::string fullName(const CLI::App& command) {
    const auto* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : fullName(*parent) + " " + command.get_name();
}

} // namespace

std::string describeMistypedCommand(const CLI::App& program, int argc, const char* const* argv) {
    const auto* command = &program;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--")
            break;
        if (word == "-c" || word == "--config") {
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
        const auto* next = findCommand(*command, word);
        if (next == nullptr)
            return "there is no command '" + fullName(*command) + " " + word + "'" + suggestion(word, names);
        command = next;
    }
    return {};
}

} // namespace supplierd::host
