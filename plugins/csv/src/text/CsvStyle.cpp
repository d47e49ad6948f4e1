#include "text/CsvStyle.h"

#include <csv.h>

#include <algorithm>
#include <array>

namespace supplierd::csv {

namespace {

/// What spreadsheets begin a formula with, also as full-width characters.
constexpr std::array<std::string_view, 8> FORMULA_STARTS{
    "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
/// What they drop from a cell's beginning, and then look at what follows.
constexpr std::string_view DROPPED = "\t\r\n";
/// Behind these a cell begins for a spreadsheet that separates cells by another character than the file does. Quotes
/// keep nothing together then: they stand in the middle of a cell.
constexpr std::string_view CELL_ENDS = ",;\t|\r\n";

/// What is to be guarded at `at`, where a cell may begin; also behind apostrophes and quotes.
bool startsFormula(std::string_view text, std::size_t at) {
    const std::size_t begin = std::min(text.find_first_not_of("'\"", at), text.size());
    const std::string_view rest = text.substr(begin);
    return (at == 0 && !rest.empty() && DROPPED.find(rest.front()) != std::string_view::npos) ||
           std::any_of(FORMULA_STARTS.begin(), FORMULA_STARTS.end(),
                       [rest](std::string_view start) { return rest.starts_with(start); });
}

/// Where a cell begins for any spreadsheet: 0, and behind each of CELL_ENDS; npos when there is no further one.
std::size_t nextBeginning(std::string_view text, std::size_t after) {
    const std::size_t end = text.find_first_of(CELL_ENDS, after);
    return end == std::string_view::npos ? end : end + 1;
}

bool hasFormula(std::string_view text) {
    for (std::size_t at = 0; at != std::string_view::npos; at = nextBeginning(text, at))
        if (startsFormula(text, at))
            return true;
    return false;
}

/// The text in pieces, each from where a cell may begin to the next: each as `change` makes it of its place.
template <class Change>
std::string inPieces(std::string_view text, Change change) {
    std::string changed;
    for (std::size_t at = 0; at != std::string_view::npos;) {
        const std::size_t next = nextBeginning(text, at);
        change(changed, at, text.substr(at, std::min(next, text.size()) - at));
        at = next;
    }
    return changed;
}

} // namespace

std::string guarded(std::string_view text) {
    return inPieces(text, [text](std::string& cell, std::size_t at, std::string_view piece) {
        cell.append(startsFormula(text, at) ? "'" : "").append(piece);
    });
}

std::string unguarded(std::string_view text) {
    constexpr std::size_t SHORTEST = 3; // =""
    if (text.size() >= SHORTEST && text.starts_with("=\"") && text.find('"', 2) == text.size() - 1)
        return std::string(text.substr(2, text.size() - SHORTEST));
    return inPieces(text, [text](std::string& cell, std::size_t at, std::string_view piece) {
        cell.append(piece.substr(piece.starts_with('\'') && startsFormula(text, at) ? 1 : 0));
    });
}

CsvWriter& CsvWriter::text(std::string_view text) {
    return hasFormula(text) ? plain(guarded(text)) : plain(text);
}

CsvWriter& CsvWriter::number(const Decimal& number) {
    std::string digits = number.toString();
    const std::size_t point = digits.find('.');
    if (point != std::string::npos) {
        if (digits.size() - point == 4)
            digits += '0';
        digits[point] = _style.decimalSign;
    }
    return plain(digits);
}

CsvWriter& CsvWriter::plain(std::string_view cell) {
    if (!_isFirst)
        _out += _style.separator;
    _isFirst = false;
    const bool needsQuotes = std::any_of(cell.begin(), cell.end(), [this](char c) {
        return c == _style.separator || c == '"' || c == '\r' || c == '\n';
    });
    const bool isPadded = !cell.empty() && (cell.front() == ' ' || cell.back() == ' ');
    if (!needsQuotes && !isPadded) {
        _out += cell;
        return *this;
    }
    const std::size_t begin = _out.size();
    _out.resize(begin + 2 * cell.size() + 2);
    _out.resize(begin + csv_write2(_out.data() + begin, _out.size() - begin, cell.data(), cell.size(), '"'));
    return *this;
}

void CsvWriter::endLine() {
    _out += "\r\n";
    _isFirst = true;
}

} // namespace supplierd::csv
