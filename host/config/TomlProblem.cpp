#include "host/config/TomlProblem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace supplierd::host {
namespace {

constexpr std::string_view BLANKS = " \t\r";
constexpr const char* HOW_VALUES_LOOK =
    "a text stands between double quotes, such as \"5s\" or \"127.0.0.1:8080\"; without quotes there are only numbers, "
    "true, false and lists in [ ]";

std::string_view trimmedLine(std::string_view line) {
    const auto begin = line.find_first_not_of(BLANKS);
    if (begin == std::string_view::npos)
        return {};
    return line.substr(begin, line.find_last_not_of(BLANKS) + 1 - begin);
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(trimmedLine(text.substr(0, end)));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string_view headerOf(std::string_view line) {
    const auto end = line.find(']');
    if (!line.starts_with('[') || line.starts_with("[[") || end == std::string_view::npos)
        return {};
    return trimmedLine(line.substr(1, end - 1));
}

std::string_view keyOf(std::string_view line) {
    return line.starts_with('#') ? std::string_view() : trimmedLine(line.substr(0, line.find('=')));
}

/// 'name' of "cannot redefine existing integer 'name'".
std::string_view quoted(std::string_view said) {
    const auto begin = said.find('\'');
    const auto end = said.rfind('\'');
    return begin == std::string_view::npos || end <= begin ? std::string_view()
                                                           : said.substr(begin + 1, end - begin - 1);
}

/// ", the first one is in line 7": of the table, or of the key within the table of `line`. Empty when it is not found.
std::string firstPlace(const std::vector<std::string_view>& lines, std::string_view name, int line, bool isTable) {
    std::string_view table;
    const auto last = std::min(static_cast<std::size_t>(line) - 1, lines.size());
    std::vector<std::string_view> tables;
    for (std::size_t i = 0; i < last; ++i) {
        if (const auto header = headerOf(lines[i]); !header.empty())
            table = header;
        tables.push_back(table);
    }
    for (std::size_t i = 0; i < last; ++i)
        if (isTable ? headerOf(lines[i]) == name : keyOf(lines[i]) == name && tables[i] == table)
            return fmt::format("; the first one is in line {}", i + 1);
    return {};
}

std::string describeSecond(std::string_view said, const std::vector<std::string_view>& lines, int line) {
    const auto name = quoted(said);
    if (said.find("as table") != std::string_view::npos)
        return fmt::format("'{}' cannot be a table here: it has a value already", name);
    if (said.find("table header") != std::string_view::npos)
        return fmt::format("the table [{}] is here a second time{}; put these keys there", name,
                           firstPlace(lines, name, line, true));
    return fmt::format("'{}' is set a second time{}; keep one of them", name, firstPlace(lines, name, line, false));
}

struct Words {
    std::string_view said; ///< a part of what the library says
    std::string_view ours;
};

/// The first that fits.
constexpr std::array<Words, 14> WORDS{
    {{"utf-8", "this is no UTF-8; save the file as UTF-8 without special characters of other encodings"},
     {"unknown escape", "a backslash in a text is written \\\\; or write the text between single quotes"},
     {"parsing string", "the quotation mark is not closed; a text begins and ends with one, in one line"},
     {"table header: tables with blank", "the name of the table is missing between [ and ]"},
     {"table header", "a table begins with its name in brackets, alone in a line, such as [server]"},
     {"parsing array", "the list is not closed; a list is written [\"first\", \"second\"]"},
     {"inline table", "the table is not closed; it ends with }"},
     {"leading zeroes", "a number must not begin with 0"},
     {"expected '='", "there is no = after the key; a setting is written key = value"},
     {"expected a comment or whitespace",
      "something stands behind the value: a line holds one setting, and a comment begins with #"},
     {"key-value pair: encountered end-of-file", "a setting is written key = value, and here a part of it is missing"},
     {"key-value pair", "a setting is written key = value"},
     {"root table",
      "a line is a setting, written key = value, a table such as [server], or a comment that begins with #"},
     {"Error while parsing", HOW_VALUES_LOOK}}};

} // namespace

std::string describeTomlProblem(std::string_view said, std::string_view text, int line) {
    if (said.find("cannot redefine") != std::string_view::npos)
        return describeSecond(said, linesOf(text), line);
    for (const auto& words : WORDS)
        if (said.find(words.said) != std::string_view::npos)
            return std::string(words.ours);
    return fmt::format("this cannot be read: {}", said);
}

} // namespace supplierd::host
