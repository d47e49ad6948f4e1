#pragma once

#include <supplierd/Decimal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::csv {

inline constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

/// How a file is written.
struct CsvStyle {
    char separator = ',';
    char decimalSign = '.';
};

/// A text as a spreadsheet does not take it, or a part of it, for a formula: = + - @, a tab or a line break, also
/// behind apostrophes and quotes or as a full-width character, get one more apostrophe in front at the beginning and
/// behind each comma, semicolon, tab, bar and line break, which are separators elsewhere.
std::string guarded(std::string_view text);
/// Undoes guarded(), and takes a formula of nothing but a text, ="0012", by which sheets keep leading zeros, for that
/// text; others stay as they are.
std::string unguarded(std::string_view text);

/// Writes the lines of a CSV file (RFC 4180, CR LF) into a string that outlives it.
class CsvWriter {
public:
    CsvWriter(std::string& out, CsvStyle style) : _out(out), _style(style) {}

    /// Guarded, and in quotes where it has to be.
    CsvWriter& text(std::string_view text);
    CsvWriter& number(std::int64_t number) { return plain(std::to_string(number)); }
    /// Never with three places, which might be thousands: "1.2340".
    CsvWriter& number(const Decimal& number);
    CsvWriter& truth(bool truth) { return plain(truth ? "TRUE" : "FALSE"); }
    CsvWriter& empty() { return plain({}); }
    template <class T>
    CsvWriter& text(const std::optional<T>& maybe) {
        return maybe ? text(*maybe) : empty();
    }
    template <class T>
    CsvWriter& number(const std::optional<T>& maybe) {
        return maybe ? number(*maybe) : empty();
    }
    void endLine();

private:
    CsvWriter& plain(std::string_view cell);

    std::string& _out;
    CsvStyle _style;
    bool _isFirst = true;
};

} // namespace supplierd::csv
