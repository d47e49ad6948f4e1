#include "text/CsvStyle.h"

#include <csv.h>

#include <algorithm>
#include <array>

namespace supplierd::csv {

namespace {

/// What spreadsheets begin a formula with, or drop from a cell's beginning and then look at what follows.
constexpr std::array<std::string_view, 11> FORMULA_STARTS{
    "=", "+", "-", "@", "\t", "\r", "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};

bool startsFormula(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
    return std::any_of(FORMULA_STARTS.begin(), FORMULA_STARTS.end(),
                       [text](std::string_view start) { return text.starts_with(start); });
}

} // namespace

std::string guarded(std::string_view text) {
    return startsFormula(text) ? std::string("'").append(text) : std::string(text);
}

std::string_view unguarded(std::string_view text) {
    constexpr std::size_t SHORTEST = 3; // =""
    if (text.size() >= SHORTEST && text.starts_with("=\"") && text.find('"', 2) == text.size() - 1)
        return text.substr(2, text.size() - SHORTEST);
    if (text.starts_with('\'') && startsFormula(text))
        text.remove_prefix(1);
    return text;
}

CsvWriter& CsvWriter::text(std::string_view text) {
    return plain(startsFormula(text) ? guarded(text) : text);
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
