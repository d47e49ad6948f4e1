#include <supplierd/testing/FakeConfig.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace supplierd::testing {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr std::array<Unit, 4> DURATIONS{{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
constexpr std::array<Unit, 4> SIZES{{{"", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}};

std::string unquoted(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    return std::string(text);
}

template <std::size_t COUNT>
std::int64_t withUnit(std::string_view name, const std::string& value, const std::array<Unit, COUNT>& units) {
    const std::string text = unquoted(value);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const Unit& unit : units)
        if (error == std::errc() && unit.name == suffix)
            return number * unit.factor;
    throw std::logic_error("configuration key '" + std::string(name) + "': cannot read " + value);
}

using TableValues = std::map<std::string, std::string>;

/// What "feed[1].url" is about: the values of the list's second table.
TableValues& valuesOfTable(std::map<std::string, std::vector<TableValues>>& lists, const std::string& name,
                           std::size_t open) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + open + 1, name.data() + name.size(), number);
    if (error != std::errc() || !std::string_view(end, name.data() + name.size()).starts_with("]."))
        throw std::logic_error("configuration key '" + name + "' must be written list[0].key");
    auto& tables = lists[name.substr(0, open)];
    tables.resize(std::max(tables.size(), number + 1));
    return tables[number];
}

} // namespace

FakeConfig::FakeConfig(const std::vector<ConfigKey>& schema, const std::map<std::string, std::string>& values) {
    for (const ConfigKey& key : schema)
        _entries[key.name] = {key.type, key.defaultValue};
    std::map<std::string, std::vector<TableValues>> lists;
    for (const auto& [name, value] : values) {
        if (const auto open = name.find('['); open != std::string::npos) {
            valuesOfTable(lists, name, open)[name.substr(name.find("].") + 2)] = value;
            continue;
        }
        const auto entry = _entries.find(name);
        if (entry == _entries.end())
            throw std::logic_error("configuration key '" + name + "' is not in the plugin's schema");
        entry->second.value = value;
    }
    for (const ConfigKey& key : schema) {
        if (key.type != ConfigType::TableList)
            continue;
        Entry& list = _entries[key.name];
        for (const TableValues& table : lists[key.name])
            list.tables.emplace_back(key.keys, table);
        if (list.value.empty() && !list.tables.empty())
            list.value = "[]";
        if (list.value != "[]" && !list.value.empty())
            throw std::logic_error("configuration key '" + key.name + "' is given as " + key.name + "[0].key");
        lists.erase(key.name);
    }
    if (!lists.empty())
        throw std::logic_error("configuration key '" + lists.begin()->first + "' is no list of tables in the schema");
    for (const auto& [name, entry] : _entries)
        if (entry.value.empty())
            throw std::logic_error("configuration key '" + name + "' has no default and must be given");
}

const FakeConfig::Entry& FakeConfig::entry(std::string_view name, ConfigType type) const {
    const auto entry = _entries.find(name);
    if (entry == _entries.end() || entry->second.type != type)
        throw std::logic_error("configuration key '" + std::string(name) + "' is not in the schema with this type");
    return entry->second;
}

bool FakeConfig::boolean(std::string_view name) const {
    return value(name, ConfigType::Boolean) == "true";
}

std::int64_t FakeConfig::integer(std::string_view name) const {
    return withUnit(name, value(name, ConfigType::Integer), std::array<Unit, 1>{{{"", 1}}});
}

std::string FakeConfig::text(std::string_view name) const {
    return unquoted(value(name, ConfigType::Text));
}

std::vector<std::string> FakeConfig::textList(std::string_view name) const {
    const std::string& list = value(name, ConfigType::TextList);
    std::vector<std::string> texts;
    for (std::size_t open = list.find('"'); open != std::string::npos; open = list.find('"', open)) {
        const std::size_t close = list.find('"', open + 1);
        if (close == std::string::npos)
            throw std::logic_error("configuration key '" + std::string(name) + "': cannot read " + list);
        texts.push_back(list.substr(open + 1, close - open - 1));
        open = close + 1;
    }
    return texts;
}

std::chrono::milliseconds FakeConfig::duration(std::string_view name) const {
    return std::chrono::milliseconds(withUnit(name, value(name, ConfigType::Duration), DURATIONS));
}

std::int64_t FakeConfig::size(std::string_view name) const {
    return withUnit(name, value(name, ConfigType::Size), SIZES);
}

std::vector<std::int64_t> FakeConfig::integerList(std::string_view name) const {
    const std::string& list = value(name, ConfigType::IntegerList);
    std::vector<std::int64_t> numbers;
    const auto isPart = [](char c) { return c == '-' || (c >= '0' && c <= '9'); };
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = static_cast<std::size_t>(
            std::find_if_not(list.begin() + static_cast<std::ptrdiff_t>(begin), list.end(), isPart) - list.begin());
        if (end == begin) {
            if (std::string_view("[], ").find(list[begin]) == std::string_view::npos)
                throw std::logic_error("configuration key '" + std::string(name) + "': cannot read " + list);
            ++begin;
            continue;
        }
        numbers.push_back(withUnit(name, list.substr(begin, end - begin), std::array<Unit, 1>{{{"", 1}}}));
        begin = end;
    }
    return numbers;
}

std::vector<std::reference_wrapper<const Config>> FakeConfig::tables(std::string_view name) const {
    const auto& tables = entry(name, ConfigType::TableList).tables;
    return {tables.begin(), tables.end()};
}

} // namespace supplierd::testing
