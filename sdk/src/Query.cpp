#include "IsoTime.h"

#include <supplierd/PercentDecoding.h>
#include <supplierd/Query.h>

#include <algorithm>
#include <charconv>

namespace supplierd {

namespace {

std::string_view takeUntil(std::string_view& text, char separator) {
    const std::size_t length = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return part;
}

bool isDigits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isInteger(std::string_view text) {
    if (!text.empty() && text.front() == '-')
        text.remove_prefix(1);
    return isDigits(text);
}

std::optional<std::int64_t> toInteger(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::string integerMessage(std::string_view name, std::int64_t min, std::int64_t max) {
    std::string message(name);
    if (max == std::numeric_limits<std::int64_t>::max())
        return message + " must be an integer of at least " + std::to_string(min);
    return message + " must be an integer from " + std::to_string(min) + " to " + std::to_string(max);
}

} // namespace

QueryParameters parseQuery(std::string_view raw, Details& details) {
    QueryParameters parameters;
    while (!raw.empty()) {
        std::string_view pair = takeUntil(raw, '&');
        if (pair.empty())
            continue;
        std::optional<std::string> name = percentDecoded(takeUntil(pair, '='), true);
        std::optional<std::string> value = percentDecoded(pair, true);
        if (!name)
            details.add("", "type", "the name of a query parameter must be percent-encoded UTF-8 without U+0000");
        else if (!value)
            details.add(*name, "type", *name + " must be percent-encoded UTF-8 without U+0000");
        else
            parameters.emplace_back(std::move(*name), std::move(*value));
    }
    return parameters;
}

std::vector<std::string> listValues(std::string_view rawQuery, std::string_view name) {
    std::vector<std::string> values;
    while (!rawQuery.empty()) {
        std::string_view pair = takeUntil(rawQuery, '&');
        if (percentDecoded(takeUntil(pair, '='), true) != name)
            continue;
        while (!pair.empty()) {
            const std::optional<std::string> value = percentDecoded(takeUntil(pair, ','), true);
            const std::string_view text = value ? trimmed(*value) : std::string_view();
            if (!text.empty())
                values.emplace_back(text);
        }
        break;
    }
    return values;
}

const std::string* QueryReader::find(std::string_view name) {
    const std::string* found = nullptr;
    for (const auto& [parameter, value] : _parameters) {
        if (parameter != name)
            continue;
        if (found != nullptr) {
            if (!_details.has(name))
                _details.add(std::string(name), "duplicate", std::string(name) + " is given twice");
            return nullptr;
        }
        found = &value;
    }
    return found;
}

bool QueryReader::has(std::string_view name) const {
    return std::any_of(_parameters.begin(), _parameters.end(),
                       [name](const auto& parameter) { return parameter.first == name && !parameter.second.empty(); });
}

std::optional<std::string> QueryReader::text(std::string_view name, std::size_t maxCodePoints) {
    const std::string* found = find(name);
    const std::string_view text = found != nullptr ? trimmed(*found) : std::string_view();
    if (text.empty())
        return std::nullopt;
    if (codePoints(text) > maxCodePoints) {
        _details.add(std::string(name), "too_long",
                     std::string(name) + " must have at most " + std::to_string(maxCodePoints) + " characters");
        return std::nullopt;
    }
    return std::string(text);
}

std::optional<std::int64_t> QueryReader::integer(std::string_view name, std::int64_t min, std::int64_t max) {
    const std::string* text = find(name);
    if (text == nullptr)
        return std::nullopt;
    const std::optional<std::int64_t> value = toInteger(*text);
    if (!isInteger(*text)) {
        _details.add(std::string(name), "type", integerMessage(name, min, max));
        return std::nullopt;
    }
    if (!value || *value < min || *value > max) {
        _details.add(std::string(name), "out_of_range", integerMessage(name, min, max));
        return std::nullopt;
    }
    return value;
}

std::optional<std::string> QueryReader::oneOf(std::string_view name, std::span<const std::string_view> allowed) {
    const std::string* text = find(name);
    if (text == nullptr)
        return std::nullopt;
    const std::string_view choice = trimmed(*text);
    if (std::find(allowed.begin(), allowed.end(), choice) != allowed.end())
        return std::string(choice);
    std::string message = std::string(name) + " must be one of ";
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        message += i > 0 ? ", " : "";
        message += allowed[i];
    }
    _details.add(std::string(name), "not_in_set", std::move(message));
    return std::nullopt;
}

std::optional<bool> QueryReader::boolean(std::string_view name) {
    const std::string* text = find(name);
    if (text == nullptr)
        return std::nullopt;
    if (*text == "true" || *text == "false")
        return *text == "true";
    _details.add(std::string(name), "not_in_set", std::string(name) + " must be true or false");
    return std::nullopt;
}

std::optional<std::string> QueryReader::time(std::string_view name) {
    const std::string* text = find(name);
    if (text == nullptr)
        return std::nullopt;
    std::optional<std::string> utc = isoTimeToUtc(*text);
    if (!utc)
        _details.add(std::string(name), "type",
                     std::string(name) + " must be a time with its zone, such as 2026-11-20T14:48:00Z");
    return utc;
}

Page QueryReader::page() {
    static constexpr std::int64_t MAX_PER_PAGE = 100;
    const auto count = [this](std::string_view name, std::int64_t otherwise) {
        const std::string* text = find(name);
        // So many digits that 64 bits cannot count them are still just very many.
        if (text != nullptr && isDigits(*text) && !toInteger(*text))
            return std::numeric_limits<std::int64_t>::max();
        return integer(name, 1).value_or(otherwise);
    };
    Page page;
    page.number = count("page", page.number);
    page.perPage = std::min(MAX_PER_PAGE, count("per_page", page.perPage));
    return page;
}

std::string patternContaining(std::string_view text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '|')
            pattern += '|';
        pattern += c;
    }
    return pattern += '%';
}

} // namespace supplierd
