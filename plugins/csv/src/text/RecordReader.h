#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::csv {

/// A row as a spreadsheet shows it.
struct Record {
    /// As the spreadsheet counts, empty rows too: the first is 1.
    std::int64_t row = 0;
    std::vector<std::string> cells;

    bool isEmpty() const;
};

/// What makes a whole file unreadable. The message is for people.
class FileProblem : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reads records from a text that comes in pieces, with libcsv: what spreadsheets write, and what they read too (quotes
/// within a field, short rows). At most a piece's records are in memory. Thread: one.
class RecordReader {
public:
    static constexpr std::size_t MAX_CELL = 1'024 * 1'024; ///< bytes
    static constexpr std::size_t MAX_CELLS = 1'000;
    static constexpr std::size_t MAX_ROW = 4 * MAX_CELL; ///< bytes of all cells

    /// The next piece of UTF-8; "" at the end.
    using Source = std::function<std::string()>;

    RecordReader(Source source, char separator);
    ~RecordReader();
    RecordReader(const RecordReader&) = delete;
    RecordReader& operator=(const RecordReader&) = delete;

    /// The next one that is not empty; false at the end. Throws FileProblem for a cell or a row that is too large, and
    /// what the source throws.
    bool next(Record& record);

private:
    struct Parser;

    void readPiece();

    Source _source;
    std::unique_ptr<Parser> _parser;
    bool _hasEnded = false;
};

} // namespace supplierd::csv
