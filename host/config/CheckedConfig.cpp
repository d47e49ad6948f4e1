#include "host/config/CheckedConfig.h"

#include "host/config/NearestName.h"
#include "host/config/SecretFile.h"
#include "host/config/TomlReader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

namespace {

std::string secretFileKey(const ConfigKey& key) {
    return key.name + "_file";
}

/// What a key without a value is, so that the getters of a configuration with errors still give something.
TypedConfigValue emptyValue(ConfigType type) {
    switch (type) {
    case ConfigType::Boolean:
        return false;
    case ConfigType::Integer:
    case ConfigType::Size:
        return std::int64_t{0};
    case ConfigType::Text:
        return std::string();
    case ConfigType::TextList:
        return std::vector<std::string>();
    case ConfigType::Duration:
        return std::chrono::milliseconds(0);
    case ConfigType::IntegerList:
        return std::vector<std::int64_t>();
    case ConfigType::TableList:
        break;
    }
    return false;
}

TypedConfigValue defaultOf(const ConfigKey& key, const ConfigTableContext& context, Diagnostics& problems) {
    if (key.defaultValue.empty())
        return emptyValue(key.type);
    if (const auto value = readTomlValue(key.defaultValue)) {
        Diagnostics own;
        if (auto typed = readConfigValue(key, *value, own))
            return std::move(*typed);
    }
    problems.error(context.position, "the default of " + key.name + " in " + context.heading() + " is not valid: " +
                                         key.defaultValue + "; this is an error in the program, not in the file");
    return emptyValue(key.type);
}

void reportMissing(const ConfigKey& key, const ConfigTableContext& context, Diagnostics& problems) {
    problems.error(context.position, context.heading() + " needs the key '" + key.name + "'" +
                                         (key.help.empty() ? std::string() : " (" + key.help + ")"));
}

std::vector<std::string> knownKeys(std::span<const ConfigKey> schema, const ConfigTableContext& context) {
    std::vector<std::string> known;
    for (const ConfigKey& key : schema) {
        known.push_back(key.name);
        if (key.secret)
            known.push_back(secretFileKey(key));
    }
    known.insert(known.end(), context.otherKeys.begin(), context.otherKeys.end());
    return known;
}

/// `prefix` is "" for the table of the schema, "fetch." for the one within it that has the keys "fetch.…".
void refuseUnknownKeys(const std::vector<std::string>& known, const ConfigTable& table, const std::string& prefix,
                       const ConfigTableContext& context, Diagnostics& problems) {
    for (const auto& [part, entry] : table.entries) {
        const std::string name = prefix + part;
        const bool isPlain = part.find('.') == std::string::npos; // "fetch.timeout" in quotes is one key, and not ours
        if (isPlain && std::find(known.begin(), known.end(), name) != known.end())
            continue;
        const bool isPrefix = isPlain && std::any_of(known.begin(), known.end(), [&](const std::string& other) {
                                  return other.starts_with(name + ".");
                              });
        if (isPrefix) {
            if (const auto* inner = std::get_if<ConfigTable>(&entry.value.data))
                refuseUnknownKeys(known, *inner, name + ".", context, problems);
            else
                problems.error(entry.value.position, fmt::format("{0} must be a table, written [{1}.{0}], found {2}",
                                                                 name, context.name, entry.value.kind()));
            continue;
        }
        std::string advice = suggestion(name, known);
        if (context.hint) {
            if (std::string hint = context.hint(name); !hint.empty())
                advice = std::move(hint);
        }
        problems.error(entry.keyPosition, fmt::format("unknown key '{}'{}", name, advice));
    }
}

} // namespace

CheckedConfig CheckedConfig::check(std::span<const ConfigKey> schema, const ConfigTable* table,
                                   const ConfigTableContext& context, Diagnostics& problems) {
    CheckedConfig config;
    config._table = context.position;
    for (const ConfigKey& key : schema)
        config.checkKey(key, table, context, problems);
    if (table)
        refuseUnknownKeys(knownKeys(schema, context), *table, {}, context, problems);
    return config;
}

void CheckedConfig::checkKey(const ConfigKey& key, const ConfigTable* table, const ConfigTableContext& context,
                             Diagnostics& problems) {
    if (key.type == ConfigType::TableList) {
        checkTables(key, table, context, problems);
        return;
    }
    Entry& entry = _entries[key.name];
    entry = {key.type, defaultOf(key, context, problems), context.position};

    const ConfigEntry* given = table ? table->find(key.name) : nullptr;
    const ConfigEntry* file = table && key.secret ? table->find(secretFileKey(key)) : nullptr;
    if (given) {
        entry.position = given->value.position;
        if (auto value = readConfigValue(key, given->value, problems))
            entry.value = std::move(*value);
        const auto* text = std::get_if<std::string>(&entry.value);
        if (key.secret && text && !text->empty())
            checkSecretFileMode(entry.position.file, given->keyPosition, problems);
    }
    if (given && file)
        problems.error(file->keyPosition, "give " + key.name + " or " + secretFileKey(key) + ", not both");
    else if (file)
        readSecretFrom(key, *file, context, problems);
    else if (!given && key.defaultValue.empty())
        reportMissing(key, context, problems);
}

void CheckedConfig::checkTables(const ConfigKey& key, const ConfigTable* table, const ConfigTableContext& context,
                                Diagnostics& problems) {
    Entry& entry = _entries[key.name];
    entry = {key.type, emptyValue(key.type), context.position};
    const ConfigEntry* given = table ? table->find(key.name) : nullptr;
    if (!given) {
        if (key.defaultValue.empty())
            reportMissing(key, context, problems);
        return;
    }
    entry.position = given->value.position;
    ConfigTableContext inner{context.name + "." + key.name, {}, context.folder, {}, {}, true};
    const auto refuse = [&](const ConfigValue& found, const char* where) {
        problems.error(found.position, fmt::format("{} must be a list of tables, each written {}, found {}{}", key.name,
                                                   inner.heading(), found.kind(), where));
    };
    const auto* items = std::get_if<std::vector<ConfigValue>>(&given->value.data);
    if (!items)
        return refuse(given->value, "");
    for (const ConfigValue& item : *items) {
        inner.position = item.position;
        if (const auto* one = std::get_if<ConfigTable>(&item.data))
            entry.tables.push_back(check(key.keys, one, inner, problems));
        else
            refuse(item, " in it");
    }
}

void CheckedConfig::readSecretFrom(const ConfigKey& key, const ConfigEntry& file, const ConfigTableContext& context,
                                   Diagnostics& problems) {
    Entry& entry = _entries[key.name];
    entry.position = file.value.position;
    const auto* name = std::get_if<std::string>(&file.value.data);
    if (!name || name->empty()) {
        problems.error(entry.position, secretFileKey(key) + " must be the path of a file, found " +
                                           (name ? std::string("an empty text") : file.value.kind()));
        return;
    }
    const std::filesystem::path path = context.folder / *name;
    if (auto credential = readCredential(path.filename().string())) {
        entry.value = std::move(*credential);
        return;
    }
    if (auto secret = readSecretFile(path, entry.position, problems)) {
        checkSecretFileMode(path, entry.position, problems);
        entry.value = std::move(*secret);
    }
}

const CheckedConfig::Entry& CheckedConfig::entry(std::string_view name, ConfigType type) const {
    const auto found = _entries.find(name);
    if (found == _entries.end())
        throw std::logic_error("the configuration schema has no key '" + std::string(name) + "'");
    if (found->second.type != type)
        throw std::logic_error("the configuration key '" + std::string(name) + "' is of another type in the schema");
    return found->second;
}

bool CheckedConfig::boolean(std::string_view name) const {
    return std::get<bool>(entry(name, ConfigType::Boolean).value);
}

std::int64_t CheckedConfig::integer(std::string_view name) const {
    return std::get<std::int64_t>(entry(name, ConfigType::Integer).value);
}

std::string CheckedConfig::text(std::string_view name) const {
    return std::get<std::string>(entry(name, ConfigType::Text).value);
}

std::vector<std::string> CheckedConfig::textList(std::string_view name) const {
    return std::get<std::vector<std::string>>(entry(name, ConfigType::TextList).value);
}

std::chrono::milliseconds CheckedConfig::duration(std::string_view name) const {
    return std::get<std::chrono::milliseconds>(entry(name, ConfigType::Duration).value);
}

std::int64_t CheckedConfig::size(std::string_view name) const {
    return std::get<std::int64_t>(entry(name, ConfigType::Size).value);
}

std::vector<std::int64_t> CheckedConfig::integerList(std::string_view name) const {
    return std::get<std::vector<std::int64_t>>(entry(name, ConfigType::IntegerList).value);
}

std::vector<std::reference_wrapper<const Config>> CheckedConfig::tables(std::string_view name) const {
    const auto& tables = entry(name, ConfigType::TableList).tables;
    return {tables.begin(), tables.end()};
}

ConfigPosition CheckedConfig::position(std::string_view name) const {
    const auto open = name.find('[');
    const auto found = _entries.find(name.substr(0, open));
    if (found == _entries.end())
        return _table;
    if (open == std::string_view::npos)
        return found->second.position;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + open + 1, name.data() + name.size(), number);
    if (error != std::errc() || number >= found->second.tables.size())
        return found->second.position;
    const CheckedConfig& table = found->second.tables[number];
    const std::string_view rest(end, name.data() + name.size());
    return rest.starts_with("].") ? table.position(rest.substr(2)) : table._table;
}

} // namespace supplierd::host
