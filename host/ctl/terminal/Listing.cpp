#include "host/ctl/terminal/Listing.h"

#include "host/ctl/terminal/Terminal.h"

#include <supplierd/Validation.h>

#include <algorithm>

namespace supplierd::host {
namespace {

constexpr std::size_t GAP = 2;

void printCell(std::ostream& out, const std::string& text, std::size_t width, bool right, bool last) {
    const auto length = codePoints(text);
    const std::string padding(width > length ? width - length : 0, ' ');
    if (right)
        out << padding << text;
    else
        out << text << (last ? "" : padding);
    out << (last ? "\n" : std::string(GAP, ' '));
}

} // namespace

std::string Listing::shown(std::size_t row, std::size_t column) const {
    const auto& cell = _rows[row].at(column);
    if (!cell)
        return {};
    if (_columns[column].kind == Kind::Boolean)
        return *cell == "true" ? "yes" : "no";
    return terminalText(*cell);
}

void Listing::printTable(std::ostream& out) const {
    std::vector<std::size_t> visible;
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < _columns.size(); ++column) {
        if (_columns[column].heading.empty())
            continue;
        auto width = _columns[column].heading.size();
        for (std::size_t row = 0; row < _rows.size(); ++row)
            width = std::max(width, codePoints(shown(row, column)));
        visible.push_back(column);
        widths.push_back(width);
    }
    for (std::size_t i = 0; i < visible.size(); ++i) {
        const auto& column = _columns[visible[i]];
        printCell(out, column.heading, widths[i], column.kind == Kind::Integer, i + 1 == visible.size());
    }
    for (std::size_t row = 0; row < _rows.size(); ++row)
        for (std::size_t i = 0; i < visible.size(); ++i)
            printCell(out, shown(row, visible[i]), widths[i], _columns[visible[i]].kind == Kind::Integer,
                      i + 1 == visible.size());
}

void Listing::appendJson(JsonWriter& json) const {
    json.beginArray();
    for (std::size_t row = 0; row < _rows.size(); ++row)
        appendRow(json, row);
    json.endArray();
}

void Listing::appendRow(JsonWriter& json, std::size_t row) const {
    json.beginObject();
    for (std::size_t column = 0; column < _columns.size(); ++column) {
        if (_columns[column].key.empty())
            continue;
        json.key(_columns[column].key);
        const auto& cell = _rows[row].at(column);
        if (!cell)
            json.null();
        else if (_columns[column].kind == Kind::Text)
            json.value(*cell);
        else
            json.raw(*cell);
    }
    json.endObject();
}

} // namespace supplierd::host
