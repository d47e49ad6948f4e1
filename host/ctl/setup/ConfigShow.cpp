#include "host/ctl/setup/ConfigShow.h"

#include "host/config/SettingsLoader.h"
#include "host/config/SettingsSchema.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginLook.h"

#include <supplierd/JsonWriter.h>

#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <string>

namespace supplierd::host {
namespace {

constexpr const char* PASSWORD_VARIABLE = "SUPPLIERD_DATABASE_PASSWORD";
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

    const Listing& listing() const { return _listing; }

private:
    void add(const std::string& section, std::span<const ConfigKey> keys, const ConfigTable* table) {
        for (const auto& key : keys)
            add(section + "." + key.name, key, table);
    }

    void add(const std::string& name, const ConfigKey& key, const ConfigTable* table) {
        const auto find = [&](const std::string& wanted) { return table ? table->find(wanted) : nullptr; };
        if (name == "database.password" && !std::string(environment()).empty())
            row(name, HIDDEN, std::string("environment: ") + PASSWORD_VARIABLE);
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
        _listing.add({name, value, from});
    }

    static const char* environment() {
        const char* const value = std::getenv(PASSWORD_VARIABLE);
        return value ? value : "";
    }

    const ConfigTable& _given;
    Listing _listing{{{"key", "KEY"}, {"value", "VALUE"}, {"from", "FROM"}}};
};

} // namespace

void showConfiguration(ControlContext& context) {
    const auto& settings = context.settings(); // with errors nothing is in effect
    ConfigProblems problems;
    const auto given = loadTables(context.configFile, problems);
    const auto plugins = loadPlugins(settings, problems);
    for (const auto& problem : problems)
        context.hints() << problem.toString() << "\n";
    Table table(given);
    for (const auto& section : settingsSchema())
        table.add(section.name, section.keys);
    for (const auto& plugin : plugins.plugins())
        table.add("plugins." + plugin.id(), plugin.description.config);
    context.printListing("settings", table.listing(), "");
}

} // namespace supplierd::host
