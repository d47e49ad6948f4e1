#pragma once

#include <supplierd/Request.h>
#include <supplierd/Validation.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What a CSV file is to look like.
struct CsvRules {
    /// Names that the first line must have, in any order and beside any others. Empty: the file has no such line.
    std::vector<std::string> columns = {};
    /// Records below that line.
    std::size_t maxRecords = 10'000;
    char separator = ',';
};

/// Reads CSV (RFC 4180) from the body of a route with Body::Raw, in pieces: one record at a time is in memory. A field
/// in quotes may hold separators, line ends and doubled quotes. Lines end with CR LF, LF or CR; empty ones and a byte
/// order mark are passed over. What is wrong becomes a detail of the field "line 3", where the record begins, so that a
/// client learns of all of it at once: a record that is no CSV, no UTF-8, holds U+0000, is longer than MAX_RECORD or
/// has another number of fields than the first line is passed over; with MAX_DETAILS reading ends. Thread: one.
/// Lifetime: body and details outlive the reader. Since 1.0.
class CsvReader {
public:
    static constexpr std::size_t MAX_RECORD = 64 * 1'024; ///< bytes
    static constexpr std::size_t MAX_DETAILS = 100;

    CsvReader(BodyStream& body, Details& details, CsvRules rules = {});

    /// Goes on to the next record; false when there is none. Throws what BodyStream::read() throws.
    bool next();
    /// The record's, as they came. Lifetime: until next() is called again.
    const std::vector<std::string>& fields() const { return _fields; }
    /// The field of one of CsvRules::columns, read as ObjectReader::text() reads one; std::logic_error for another.
    Field<std::string> text(std::string_view column, const TextRule& rule);
    /// Where the record begins: "line 3".
    std::string place() const { return "line " + std::to_string(_begin); }
    /// A detail about the record: "line 3: " and the message.
    void addDetail(std::string code, const std::string& message);

private:
    /// What the bytes before the next one make of it.
    enum class State { Begin, Plain, Quoted, AfterQuote };

    void readHeading();
    bool nextRecord();
    void readRecord();
    State take(char c, State state);
    bool readByte(char& c);
    bool isText() const;

    BodyStream& _body;
    Details& _details;
    const CsvRules _rules;
    std::array<char, 16 * 1'024> _piece{};
    std::size_t _at = 0;
    std::size_t _size = 0;
    char _last = 0;
    std::int64_t _line = 1;
    std::int64_t _begin = 1;
    std::size_t _bytes = 0;
    std::size_t _records = 0;
    std::vector<std::string> _heading;
    std::vector<std::string> _fields;
    std::string_view _problem;
    bool _hasEnded = false;
};

} // namespace supplierd
