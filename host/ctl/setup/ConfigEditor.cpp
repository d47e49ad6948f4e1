#include "host/ctl/setup/ConfigEditor.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace supplierd::host {
namespace {

constexpr std::string_view BLANK = " \t\r";

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(BLANK);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(BLANK) - begin + 1);
}

bool isHeader(std::string_view line) {
    return trimmed(line).starts_with('[');
}

bool isHeaderOf(std::string_view line, std::string_view section) {
    auto text = trimmed(line);
    if (!text.starts_with('['))
        return false;
    const auto end = text.find(']');
    return end != std::string_view::npos && trimmed(text.substr(1, end - 1)) == section;
}

/// Where the value begins when the line is `key = …`.
std::optional<std::size_t> valueOf(std::string_view line, std::string_view key) {
    const auto begin = line.find_first_not_of(BLANK);
    if (begin == std::string_view::npos || line.substr(begin, key.size()) != key)
        return std::nullopt;
    const auto equals = line.find_first_not_of(BLANK, begin + key.size());
    if (equals == std::string_view::npos || line[equals] != '=')
        return std::nullopt;
    const auto value = line.find_first_not_of(BLANK, equals + 1);
    return value == std::string_view::npos ? line.size() : value;
}

bool isCommentedOut(std::string_view line, std::string_view key) {
    auto text = trimmed(line);
    if (!text.starts_with('#'))
        return false;
    text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
    return valueOf(text, key).has_value();
}

/// The end of a number, a name or a text on one line; nothing when it is something else.
std::optional<std::size_t> endOfValue(std::string_view line, std::size_t begin) {
    const auto rest = line.substr(std::min(begin, line.size()));
    if (rest.empty() || rest.starts_with("\"\"\"") || rest.starts_with("'''") || rest[0] == '[' || rest[0] == '{')
        return std::nullopt;
    if (rest[0] != '"' && rest[0] != '\'')
        return begin + std::min(rest.find_first_of("# \t\r"), rest.size());
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '\\' && rest[0] == '"')
            ++i;
        else if (rest[i] == rest[0])
            return begin + i + 1;
    }
    return std::nullopt;
}

} // namespace

ConfigEditor::ConfigEditor(std::string_view text, std::string file) : _file(std::move(file)) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        _lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void ConfigEditor::set(const std::string& section, const std::string& key, const std::string& value) {
    const auto range = findOrAppend(section);
    auto place = range.begin;
    bool isAfterDefault = false;
    for (auto line = range.begin; line < range.end; ++line) {
        if (valueOf(_lines[line], key)) {
            replaceValue(line, key, value);
            return;
        }
        if (isCommentedOut(_lines[line], key)) {
            place = line + 1;
            isAfterDefault = true;
        } else if (!isAfterDefault && !trimmed(_lines[line]).empty()) {
            place = line + 1;
        }
    }
    _lines.insert(_lines.begin() + static_cast<std::ptrdiff_t>(place), key + " = " + value);
}

ConfigEditor::Range ConfigEditor::findOrAppend(const std::string& section) {
    const auto header =
        std::find_if(_lines.begin(), _lines.end(), [&](const std::string& line) { return isHeaderOf(line, section); });
    if (header == _lines.end()) {
        if (!_lines.empty() && !trimmed(_lines.back()).empty())
            _lines.emplace_back();
        _lines.push_back("[" + section + "]");
        return {_lines.size(), _lines.size()};
    }
    const auto end = std::find_if(header + 1, _lines.end(), isHeader);
    return {static_cast<std::size_t>(header - _lines.begin()) + 1, static_cast<std::size_t>(end - _lines.begin())};
}

void ConfigEditor::replaceValue(std::size_t line, const std::string& key, const std::string& value) {
    auto& text = _lines[line];
    const auto begin = *valueOf(text, key);
    const auto end = endOfValue(text, begin);
    if (!end)
        throw CommandFailure(fmt::format("{}:{}: the value of '{}' is not written on one line; change it by hand",
                                         _file, line + 1, key));
    text.replace(begin, *end - begin, value);
}

std::string ConfigEditor::text() const {
    std::string all;
    for (const auto& line : _lines)
        all.append(line).append("\n");
    return all;
}

std::string ConfigEditor::quoted(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            all += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            all += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            all += c;
    }
    return all + "\"";
}

} // namespace supplierd::host
