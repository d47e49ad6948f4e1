#include "Secrets.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace supplierd::history {

namespace {

using Cells = std::vector<std::string_view>;

/// A line of a table, with line breaks that stand in quotes.
struct TableLine {
    Cells cells; ///< with their quotes
    std::string_view end;
};

/// Behind the cell that begins there.
std::size_t endOfCell(std::string_view text, std::size_t at, char separator) {
    const std::array<char, 3> ends{separator, '\r', '\n'};
    if (at < text.size() && text[at] == '"') {
        for (++at; at < text.size(); ++at) {
            if (text[at] != '"')
                continue;
            if (text.substr(at + 1).starts_with('"'))
                ++at;
            else
                break;
        }
    }
    return std::min(text.find_first_of(std::string_view(ends.data(), ends.size()), std::min(at, text.size())),
                    text.size());
}

/// Takes the first line off.
TableLine takeLine(std::string_view& text, char separator) {
    TableLine line;
    for (std::size_t begin = 0;;) {
        const std::size_t end = endOfCell(text, begin, separator);
        line.cells.push_back(text.substr(begin, end - begin));
        if (end < text.size() && text[end] == separator) {
            begin = end + 1;
            continue;
        }
        const std::size_t next = std::min(text.find_first_not_of("\r\n", end), text.size());
        line.end = text.substr(end, next - end);
        text.remove_prefix(next);
        return line;
    }
}

/// The names of the columns, as the separator has it that makes most of them.
char separatorOf(std::string_view text) {
    char best = ',';
    std::size_t most = 0;
    for (const char separator : {',', ';', '\t', '|'}) {
        std::string_view rest = text;
        if (const std::size_t count = takeLine(rest, separator).cells.size(); count > most) {
            most = count;
            best = separator;
        }
    }
    return best;
}

/// "name: value" and the like are no table's; withoutSecrets() knows them.
bool isSecretColumn(std::string_view cell) {
    return cell.find_first_of(":={[") == std::string_view::npos && isSecretName(cell);
}

std::string withoutColumns(std::string_view text) {
    constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";
    std::string_view rest = text;
    if (rest.starts_with(BYTE_ORDER_MARK))
        rest.remove_prefix(BYTE_ORDER_MARK.size());
    if (rest.starts_with("sep=")) // Excel's
        takeLine(rest, '\0');
    rest.remove_prefix(std::min(rest.find_first_not_of("\r\n"), rest.size()));
    const char separator = separatorOf(rest);
    const Cells names = takeLine(rest, separator).cells;
    if (std::none_of(names.begin(), names.end(), isSecretColumn))
        return std::string(text);
    std::string out(text.substr(0, text.size() - rest.size()));
    while (!rest.empty()) {
        const TableLine line = takeLine(rest, separator);
        if (line.cells.size() != names.size()) {
            out.append(BLANK).append(line.end);
            continue;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            out.append(i == 0 ? 0 : 1, separator);
            out.append(isSecretColumn(names[i]) && !line.cells[i].empty() ? BLANK : line.cells[i]);
        }
        out.append(line.end);
    }
    return out;
}

} // namespace

std::string withoutSecretColumns(std::string_view text) {
    if (text.find('\0') == std::string_view::npos)
        return withoutColumns(text);
    std::string dense(text); // UTF-16, as in withoutSecrets()
    std::erase(dense, '\0');
    return withoutColumns(dense) == dense ? std::string(text) : std::string(BLANK);
}

} // namespace supplierd::history
