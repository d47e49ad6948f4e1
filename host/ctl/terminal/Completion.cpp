#include "host/config/SettingsLoader.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* FILES = ":files";

constexpr std::string_view BASH = R"sh(# bash completion of supplierctl; it asks the program itself.
_supplierctl() {
    local current=${COMP_WORDS[COMP_CWORD]} value rest
    COMPREPLY=()
    while IFS=$'\t' read -r value rest; do
        if [ "$value" = :files ]; then
            compopt -o filenames 2>/dev/null || : # outside of a completion there is none
            while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
        else
            COMPREPLY+=("$value")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _supplierctl supplierctl
)sh";

constexpr std::string_view ZSH = R"sh(#compdef supplierctl
# zsh completion of supplierctl; it asks the program itself.
_supplierctl() {
    local line value
    local -a candidates
    for line in ${(f)"$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        value=${line%%$'\t'*}
        if [[ $value == :files ]]; then
            _files
        else
            candidates+=("${value//:/\\:}:${line#*$'\t'}")
        fi
    done
    (( ${#candidates} )) && _describe -o supplierctl candidates
}
if [[ $funcstack[1] == _supplierctl ]]; then _supplierctl "$@"; else compdef _supplierctl supplierctl; fi
)sh";

constexpr std::string_view FISH = R"sh(# fish completion of supplierctl; it asks the program itself.
function __supplierctl_complete
    set -l typed (commandline -opc)
    for line in ($typed[1] __complete $typed[2..-1] (commandline -ct) 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c supplierctl -f -a '(__supplierctl_complete)'
)sh";

/// Those of the command and of all above it: options may stand anywhere.
std::vector<const CLI::Option*> optionsOf(const CLI::App& command) {
    std::vector<const CLI::Option*> options;
    for (const auto* app = &command; app != nullptr; app = app->get_parent())
        for (const auto* option : app->get_options())
            if (option->nonpositional())
                options.push_back(option);
    return options;
}

const CLI::Option* optionNamed(const CLI::App& command, const std::string& word) {
    for (const auto* option : optionsOf(command))
        if (option->check_name(word))
            return option;
    return nullptr;
}

/// Where the words before the last one lead.
struct Place {
    const CLI::App* command;
    const CLI::Option* awaiting = nullptr; ///< an option whose value comes next
    std::size_t positionals = 0;           ///< that were given already
};

Place follow(const CLI::App& program, const std::vector<std::string>& words) {
    Place place{&program};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const auto& word = words[i];
        if (place.awaiting != nullptr) {
            place.awaiting = nullptr;
            continue;
        }
        if (word.starts_with("-") && word != "-") {
            const auto* option = word.find('=') == std::string::npos ? optionNamed(*place.command, word) : nullptr;
            if (option != nullptr && option->get_items_expected_max() > 0)
                place.awaiting = option;
            continue;
        }
        if (const auto* const next = commandNamed(*place.command, word))
            place.command = next;
        else
            ++place.positionals;
    }
    return place;
}

const CLI::Option* positionalAt(const Place& place) {
    std::size_t index = 0;
    for (const auto* option : place.command->get_options()) {
        if (!option->get_positional())
            continue;
        const bool takesAll = option->get_items_expected_max() >= CLI::detail::expected_max_vector_size;
        if (index == place.positionals || takesAll)
            return option;
        ++index;
    }
    return nullptr;
}

/// "flower|supply" → its words.
std::vector<std::string> choicesOf(const CLI::Option& option) {
    const auto type = option.get_type_name();
    return type.find('|') == std::string::npos ? std::vector<std::string>() : CLI::detail::split(type, '|');
}

std::set<std::string> pluginIds(ControlContext& context) {
    Diagnostics problems;
    const auto settings = loadSettings(context.configFile, problems); // with errors: the usual folders
    std::set<std::string> ids;
    for (const auto& folder : {settings.server.pluginDir, settings.server.pluginsEnabled}) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
            if (entry->path().extension() == ".so")
                ids.insert(entry->path().stem().string());
    }
    return ids;
}

bool takesFile(const CLI::Option& option) {
    const auto name = option.get_name(true);
    return name.find("FILE") != std::string::npos || option.get_type_name().find("FILE") != std::string::npos ||
           option.get_type_name().find("DIR") != std::string::npos;
}

struct Candidates {
    std::string prefix;
    std::vector<std::string> lines = {};

    void add(const std::string& value, std::string about) {
        std::replace(about.begin(), about.end(), '\n', ' ');
        if (value.starts_with(prefix))
            lines.push_back(value + "\t" + about);
    }
};

void addValues(const CLI::Option& option, const CLI::App& command, ControlContext& context, Candidates& candidates) {
    for (const auto& choice : choicesOf(option))
        candidates.add(choice, "");
    const auto* parent = command.get_parent();
    if (parent != nullptr && parent->get_name() == "plugin" && option.get_name(true) == "ID")
        for (const auto& id : pluginIds(context))
            candidates.add(id, "plugin");
    if (takesFile(option))
        candidates.lines.emplace_back(FILES);
}

} // namespace

std::vector<std::string> completionsFor(const CLI::App& program, ControlContext& context,
                                        const std::vector<std::string>& words) {
    if (words.empty())
        return {};
    const auto place = follow(program, words);
    Candidates candidates{words.back()};
    if (place.awaiting != nullptr) {
        addValues(*place.awaiting, *place.command, context, candidates);
    } else if (words.back().starts_with("-")) {
        for (const auto* option : optionsOf(*place.command))
            for (const auto& name : option->get_lnames())
                candidates.add("--" + name, option->get_description());
    } else {
        for (const auto* command : commandsOf(*place.command))
            candidates.add(command->get_name(), command->get_description());
        if (const auto* positional = positionalAt(place))
            addValues(*positional, *place.command, context, candidates);
    }
    return candidates.lines;
}

void addCompletionCommand(CLI::App& program, ControlContext& context) {
    auto shell = std::make_shared<std::string>();
    auto* command = program.add_subcommand("completion", "Print what makes a shell complete this command line");
    command->footer("The packages install it for all three shells. Without them: bash reads it from\n"
                    "~/.local/share/bash-completion/completions/supplierctl, zsh from a file _supplierctl in a folder\n"
                    "of $fpath, fish from ~/.config/fish/completions/supplierctl.fish.");
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
        ->type_name("bash|zsh|fish");
    command->callback([&context, shell] { context.out() << (*shell == "bash" ? BASH : *shell == "zsh" ? ZSH : FISH); });
}

} // namespace supplierd::host
