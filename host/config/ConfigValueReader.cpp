#include "host/config/ConfigValueReader.h"

#include "host/config/ConfigUnits.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::int64_t NO_MIN = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t NO_MAX = std::numeric_limits<std::int64_t>::max();

std::string example(const ConfigKey& key, std::string_view otherwise) {
    const bool telling = !key.defaultValue.empty() && key.defaultValue != "\"\"" && key.defaultValue != "[]";
    return telling && !key.secret ? key.defaultValue : std::string(otherwise);
}

std::string wanted(const ConfigKey& key) {
    switch (key.type) {
    case ConfigType::Boolean:
        return "true or false, without quotes";
    case ConfigType::Integer:
        return "an integer like " + example(key, "10") + ", without quotes";
    case ConfigType::Text:
        return "a text like " + example(key, "\"…\"");
    case ConfigType::TextList:
        return "a list of texts like " + example(key, "[\"…\", \"…\"]");
    case ConfigType::Duration:
        return "a duration like " + example(key, "\"5s\"");
    case ConfigType::Size:
        return "a size like " + example(key, "\"1MiB\"") + ", or a number of bytes";
    case ConfigType::IntegerList:
        return "a list of integers like " + example(key, "[1, 2]");
    case ConfigType::TableList:
        break;
    }
    return {};
}

std::string format(const ConfigKey& key, std::int64_t value) {
    switch (key.type) {
    case ConfigType::Duration:
        return formatDuration(std::chrono::milliseconds(value));
    case ConfigType::Size:
        return formatSize(value);
    default:
        return std::to_string(value);
    }
}

/// Durations and sizes are never negative, so a missing lower limit is 0 there.
std::int64_t lowerLimit(const ConfigKey& key) {
    const bool isInteger = key.type == ConfigType::Integer || key.type == ConfigType::IntegerList;
    return isInteger ? key.min : std::max<std::int64_t>(key.min, 0);
}

std::string range(const ConfigKey& key) {
    const std::int64_t min = lowerLimit(key);
    if (key.max == NO_MAX)
        return format(key, min) + " or more";
    if (min == NO_MIN)
        return format(key, key.max) + " or less";
    return "from " + format(key, min) + " to " + format(key, key.max);
}

std::string quoted(const ConfigKey& key, const std::string& text) {
    return key.secret ? "something else" : "\"" + text + "\"";
}

class Reader {
public:
    Reader(const ConfigKey& key, const ConfigValue& value, Diagnostics& problems)
        : _key(key), _value(value), _problems(problems) {}

    std::optional<TypedConfigValue> read() {
        switch (_key.type) {
        case ConfigType::Boolean:
            return plain<bool>();
        case ConfigType::Integer:
            if (const auto* number = std::get_if<std::int64_t>(&_value.data))
                return inRange(*number, std::to_string(*number)) ? std::optional<TypedConfigValue>(*number)
                                                                 : std::nullopt;
            return mistyped();
        case ConfigType::Text:
            return text();
        case ConfigType::TextList:
            return textList();
        case ConfigType::Duration:
            return duration();
        case ConfigType::Size:
            return size();
        case ConfigType::IntegerList:
            return integerList();
        case ConfigType::TableList:
            break;
        }
        return std::nullopt;
    }

private:
    template <class T>
    std::optional<TypedConfigValue> plain() {
        if (const T* found = std::get_if<T>(&_value.data))
            return *found;
        return mistyped();
    }

    std::optional<TypedConfigValue> text() {
        const auto* found = std::get_if<std::string>(&_value.data);
        if (!found)
            return mistyped();
        return isWhole(*found, _value.position) ? std::optional<TypedConfigValue>(*found) : std::nullopt;
    }

    /// File names, addresses and passwords end at the first U+0000 for whom they are handed to.
    bool isWhole(const std::string& found, const ConfigPosition& position) {
        const bool whole = found.find('\0') == std::string::npos;
        if (!whole)
            _problems.error(position, _key.name + " must not contain the character U+0000");
        return whole;
    }

    std::optional<TypedConfigValue> textList() {
        const auto* items = std::get_if<std::vector<ConfigValue>>(&_value.data);
        if (!items)
            return mistyped();
        std::vector<std::string> texts;
        for (const ConfigValue& item : *items) {
            const auto* text = std::get_if<std::string>(&item.data);
            if (text && isWhole(*text, item.position))
                texts.push_back(*text);
            else if (!text)
                _problems.error(item.position,
                                _key.name + " must be " + wanted(_key) + ", found " + item.kind() + " in it");
        }
        return texts.size() == items->size() ? std::optional<TypedConfigValue>(std::move(texts)) : std::nullopt;
    }

    std::optional<TypedConfigValue> integerList() {
        const auto* items = std::get_if<std::vector<ConfigValue>>(&_value.data);
        if (!items)
            return mistyped();
        std::vector<std::int64_t> numbers;
        for (const ConfigValue& item : *items) {
            const auto* number = std::get_if<std::int64_t>(&item.data);
            if (!number)
                _problems.error(item.position,
                                _key.name + " must be " + wanted(_key) + ", found " + item.kind() + " in it");
            else if (*number < _key.min || *number > _key.max)
                _problems.error(item.position, _key.name + " must hold integers " + range(_key) + ", found " +
                                                   std::to_string(*number));
            else
                numbers.push_back(*number);
        }
        return numbers.size() == items->size() ? std::optional<TypedConfigValue>(std::move(numbers)) : std::nullopt;
    }

    std::optional<TypedConfigValue> duration() {
        const auto* text = std::get_if<std::string>(&_value.data);
        if (!text)
            return mistyped();
        const auto value = parseDuration(*text);
        if (!value)
            return refused("must be " + wanted(_key) + " (units: ms, s, m, h, d), found " + quoted(_key, *text));
        return inRange(value->count(), quoted(_key, *text)) ? std::optional<TypedConfigValue>(*value) : std::nullopt;
    }

    std::optional<TypedConfigValue> size() {
        if (const auto* number = std::get_if<std::int64_t>(&_value.data))
            return inRange(*number, std::to_string(*number)) ? std::optional<TypedConfigValue>(*number) : std::nullopt;
        const auto* text = std::get_if<std::string>(&_value.data);
        if (!text)
            return mistyped();
        const auto value = parseSize(*text);
        if (!value)
            return refused("must be " + wanted(_key) + " (units: KiB, MiB, GiB), found " + quoted(_key, *text));
        return inRange(*value, quoted(_key, *text)) ? std::optional<TypedConfigValue>(*value) : std::nullopt;
    }

    bool inRange(std::int64_t value, const std::string& asGiven) {
        if (value >= lowerLimit(_key) && value <= _key.max)
            return true;
        refused("must be " + range(_key) + ", found " + asGiven);
        return false;
    }

    std::optional<TypedConfigValue> mistyped() {
        return refused("must be " + wanted(_key) + ", found " + _value.kind());
    }

    std::optional<TypedConfigValue> refused(const std::string& message) {
        _problems.error(_value.position, _key.name + " " + message);
        return std::nullopt;
    }

    const ConfigKey& _key;
    const ConfigValue& _value;
    Diagnostics& _problems;
};

} // namespace

std::optional<TypedConfigValue> readConfigValue(const ConfigKey& key, const ConfigValue& value, Diagnostics& problems) {
    return Reader(key, value, problems).read();
}

} // namespace supplierd::host
