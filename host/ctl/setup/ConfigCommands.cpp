#include "host/Version.h"
#include "host/config/ServerAccount.h"
#include "host/config/SettingsLoader.h"
#include "host/config/SettingsSchema.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginInspection.h"
#include "host/server/ConfigurationCheck.h"

#include <supplierd/JsonWriter.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <span>
#include <string>

namespace supplierd::host {

namespace {

/// Variables that win over a key.
const std::map<std::string, const char*> VARIABLES{{"database.password", "SUPPLIERD_DATABASE_PASSWORD"},
                                                   {"redis.password", "SUPPLIERD_REDIS_PASSWORD"}};
constexpr const char* HIDDEN = "(hidden)";

struct Text {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const {
        std::string text;
        appendJsonString(text, value);
        return text;
    }
    std::string operator()(const std::vector<ConfigValue>& values) const {
        std::string text;
        for (const auto& value : values)
            text += (text.empty() ? "" : ", ") + std::visit(*this, value.data);
        return "[" + text + "]";
    }
    std::string operator()(const ConfigTable&) const { return "{…}"; }
    std::string operator()(const ConfigValue::Foreign& value) const { return value.kind; }
};

std::string placeOf(const ConfigPosition& position) {
    return fmt::format("{}:{}", position.file, position.line);
}

class Table {
public:
    explicit Table(const ConfigTable& given) : _given(given) {}

    void add(const std::string& section, std::span<const ConfigKey> keys) { add(section, keys, _given.table(section)); }

    const ResponseJson& rows() const { return _rows; }

private:
    void add(const std::string& section, std::span<const ConfigKey> keys, const ConfigTable* table) {
        for (const auto& key : keys)
            add(section + "." + key.name, key, table);
    }

    void add(const std::string& name, const ConfigKey& key, const ConfigTable* table) {
        const auto find = [&](const std::string& wanted) { return table ? table->find(wanted) : nullptr; };
        if (const auto variable = VARIABLES.find(name); variable != VARIABLES.end() && isSet(variable->second))
            row(name, HIDDEN, std::string("environment: ") + variable->second);
        else if (const auto* entry = find(key.name); entry && key.type == ConfigType::TableList)
            addTables(name, key, entry->value);
        else if (entry)
            row(name, key.secret ? HIDDEN : std::visit(Text{}, entry->value.data), placeOf(entry->value.position));
        else if (const auto* file = key.secret ? find(key.name + "_file") : nullptr)
            row(name, HIDDEN,
                fmt::format("{}: in the file {}", placeOf(file->value.position), std::visit(Text{}, file->value.data)));
        else
            row(name, key.defaultValue, "default");
    }

    void addTables(const std::string& name, const ConfigKey& key, const ConfigValue& given) {
        const auto* items = std::get_if<std::vector<ConfigValue>>(&given.data);
        if (!items || items->empty())
            return row(name, "[]", placeOf(given.position));
        for (std::size_t i = 0; i < items->size(); ++i)
            add(fmt::format("{}[{}]", name, i), key.keys, std::get_if<ConfigTable>(&(*items)[i].data));
    }

    void row(const std::string& name, const std::string& value, const std::string& from) {
        _rows.push_back({{"key", name}, {"value", value}, {"from", from}});
    }

    static bool isSet(const char* variable) {
        const char* const value = std::getenv(variable);
        return value && *value;
    }

    const ConfigTable& _given;
    ResponseJson _rows = ResponseJson::array();
};

/// `supplierctl config show`: every key with its value and where that comes from, secrets hidden. Throws CommandFailure
/// when the configuration has errors.
void showConfiguration(ControlContext& context) {
    const auto& settings = context.settings(); // with errors nothing is in effect
    Diagnostics problems;
    const auto given = loadTables(context.configFile, problems);
    const auto plugins = loadPlugins(settings, problems);
    for (const auto& problem : problems)
        context.err() << problem.toString() << "\n";
    Table table(given);
    for (const auto& section : settingsSchema())
        table.add(section.name, section.keys);
    for (const auto& plugin : plugins.plugins())
        table.add("plugins." + plugin.id(), plugin.description.config);
    context.print({{"settings", table.rows()}});
}

void printProblems(ControlContext& context, const Diagnostics& problems, std::size_t plugins) {
    if (!context.json) {
        context.out() << problems.toString();
        if (!problems.empty() && !problems.toString().ends_with('\n'))
            context.out() << "\n";
        if (!problems.hasErrors())
            context.out() << context.configFile << ": good, with " << plugins << " plugins enabled\n";
        return;
    }
    const auto orNull = [](bool isGiven, const auto& value) { return isGiven ? ResponseJson(value) : ResponseJson(); };
    auto list = ResponseJson::array();
    for (const auto& problem : problems)
        list.push_back({{"file", orNull(!problem.file.empty(), problem.file)},
                        {"line", orNull(problem.line != 0, problem.line)},
                        {"column", orNull(problem.column != 0, problem.column)},
                        {"severity", problem.warning ? "warning" : "error"},
                        {"message", problem.message}});
    context.print({{"ok", !problems.hasErrors()}, {"problems", list}});
}

void checkConfigurationOf(ControlContext& context) {
    context.requireReadableConfiguration();
    const auto account = accountToCheckAs(context.configFile);
    const auto check = checkConfiguration({context.configFile}, account);
    printProblems(context, check.problems, check.plugins);
    if (!check.problems.hasErrors())
        return;
    if (account)
        context.err() << "(this is what the server's user '" << ServerAccount::NAME << "' would find)\n";
    throw ReportedFailure();
}

} // namespace

void addConfigCommands(CLI::App& program, ControlContext& context) {
    auto* config = program.add_subcommand("config", "The configuration: check, show");
    config->require_subcommand(1);
    config->add_subcommand("check", "Report everything that is wrong with the configuration, plugins included")
        ->footer(
            "Everything that keeps a server from starting, but for the database and ports: settings, TLS files, files "
            "that\nare to be written, plugins; and Redis. Run by root it checks the installed configuration as the "
            "server's "
            "user\nsupplierd would: a file that this user cannot read is a mistake.")
        ->callback([&context] { checkConfigurationOf(context); });
    config->add_subcommand("show", "Print every setting with its value and where that comes from; secrets are hidden")
        ->callback([&context] { showConfiguration(context); });
}

} // namespace supplierd::host
