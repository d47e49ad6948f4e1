#include "host/ctl/terminal/CommandExamples.h"

#include <CLI/CLI.hpp>

#include <array>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::host {
namespace {

struct Example {
    std::string_view command;
    std::string_view lines; ///< as they are typed, behind "supplierctl COMMAND"
};

constexpr std::array EXAMPLES{
    Example{"setup", "\n--yes --json"},
    Example{"migrate", "--plan\n"},
    Example{"config check", "\n--json"},
    Example{"config show", "\n--json"},
    Example{"doctor", "\n--json"},
    Example{"status", "\n--json"},
    Example{"plugin list", ""},
    Example{"plugin enable", "categories catalog inventory"},
    Example{"plugin disable", "inventory"},
    Example{"plugin remove", "--data price-alerts --dry-run\n--data price-alerts"},
    Example{"plugin new", "price-alerts --route 'GET /alerts/{id:int}'"},
    Example{"plugin run", "build/price-alerts.so\nbuild/price-alerts.so --port 8080 --with orders"},
    Example{"plugin validate", "build/price-alerts.so"},
    Example{"supplier add", "'Bloemen BV' --verified\n'Bloom BV' --email orders@bloom.example"},
    Example{"supplier list", "\n--after 1000 --limit 100"},
    Example{"supplier show", "1"},
    Example{"supplier verify", "1"},
    Example{"supplier suspend", "1"},
    Example{"key create", "1 --name ERP\n1 --scope stock:write --scope prices:write --hourly-limit 5000"},
    Example{"key list", "1"},
    Example{"key rotate", "7\nsk_ab12cd34 --grace 7d"},
    Example{"key revoke", "7\nsk_ab12cd34"},
    Example{"operator-key create", "--name marketplace --expires-at 2027-01-31T00:00:00Z"},
    Example{"operator-key list", ""},
    Example{"operator-key rotate", "3 --grace 1h"},
    Example{"operator-key revoke", "ok_ab12cd34"},
    Example{"category add", "Roses\n'Garden roses' --parent 1 --slug garden-roses"},
    Example{"category list", ""},
    Example{"product list", "--status pending\n--supplier 1 --per-page 100 --json"},
    Example{"product show", "17"},
    Example{"product approve", "17 18 19"},
    Example{"product reject", "17 --reason 'the picture shows another flower'"},
    Example{"order list", "--supplier 1 --status pending\n--created-from 2026-11-20T00:00:00Z"},
    Example{"order show", "5"},
    Example{"order import", "orders.json\n- --stop-on-error < orders.json"},
    Example{"order complete", "5 6"},
    Example{"job list", "\n--json"},
    Example{"job run", "media purge --wait 60"},
    Example{"media verify", "\n--repair"},
    Example{"totals verify", "\n--supplier 1 --repair"},
    Example{"audit", "--object product --id 17\n--actor supplierctl:alice --limit 10"},
    Example{"completion", "bash > ~/.local/share/bash-completion/completions/supplierctl"},
};

CLI::App& commandNamed(CLI::App& program, std::string_view name) {
    auto* command = &program;
    std::istringstream words{std::string(name)};
    try {
        for (std::string word; words >> word;)
            command = command->get_subcommand(word);
    } catch (const CLI::OptionNotFound&) {
        throw std::logic_error("there are examples for a command that does not exist: " + std::string(name));
    }
    return *command;
}

} // namespace

void addExamples(CLI::App& program) {
    for (const auto& example : EXAMPLES) {
        auto& command = commandNamed(program, example.command);
        std::string text = command.get_footer();
        text += (text.empty() ? "Examples:" : "\n\nExamples:");
        std::istringstream lines{std::string(example.lines) + "\n"};
        for (std::string line; std::getline(lines, line);)
            text += "\n  supplierctl " + std::string(example.command) + (line.empty() ? "" : " ") + line;
        command.footer(text);
    }
}

} // namespace supplierd::host
