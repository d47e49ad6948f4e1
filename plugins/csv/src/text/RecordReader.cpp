#include "text/RecordReader.h"

#include <csv.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::size_t BLOCK = 4'096; ///< by which libcsv's buffer for a cell grows

/// libcsv takes this for a lack of memory.
void* reallocateCell(void* memory, std::size_t size) {
    return size > RecordReader::MAX_CELL + BLOCK ? nullptr : std::realloc(memory, size);
}

/// Blanks belong to their cell.
int isBlank(unsigned char) {
    return 0;
}

} // namespace

bool Record::isEmpty() const {
    return std::all_of(cells.begin(), cells.end(),
                       [](const std::string& cell) { return cell.find_first_not_of(" \t") == std::string::npos; });
}

/// libcsv's, and the records that it has told. Its functions are called from C, so they throw nothing.
struct RecordReader::Parser {
    csv_parser csv{};
    std::deque<Record> records;
    Record current;
    std::size_t currentBytes = 0;
    std::int64_t row = 1;
    int lastEnd = 0;
    bool isTooWide = false;
    bool isTooLarge = false;

    static void addCell(void* text, std::size_t size, void* data) noexcept {
        auto& parser = *static_cast<Parser*>(data);
        parser.lastEnd = 0;
        parser.isTooWide = parser.isTooWide || parser.current.cells.size() == MAX_CELLS;
        parser.currentBytes += size;
        parser.isTooLarge = parser.isTooLarge || parser.currentBytes > MAX_ROW;
        if (!parser.isTooWide && !parser.isTooLarge)
            parser.current.cells.emplace_back(static_cast<const char*>(text), size);
    }

    static void endRow(int end, void* data) noexcept {
        auto& parser = *static_cast<Parser*>(data);
        const bool isSecondOfTwo = end == '\n' && parser.lastEnd == '\r';
        parser.lastEnd = end;
        if (isSecondOfTwo)
            return;
        if (parser.isTooWide || parser.isTooLarge)
            return; // row is the one that is told
        parser.current.row = parser.row++;
        if (!parser.current.isEmpty())
            parser.records.push_back(std::move(parser.current));
        parser.current = {};
        parser.currentBytes = 0;
    }
};

RecordReader::RecordReader(Source source, char separator)
    : _source(std::move(source)), _parser(std::make_unique<Parser>()) {
    // Every line end is told, so that empty rows count.
    if (csv_init(&_parser->csv, CSV_REPALL_NL) != 0)
        throw std::bad_alloc();
    csv_set_delim(&_parser->csv, static_cast<unsigned char>(separator));
    csv_set_space_func(&_parser->csv, isBlank);
    csv_set_realloc_func(&_parser->csv, reallocateCell);
    csv_set_blk_size(&_parser->csv, BLOCK);
}

RecordReader::~RecordReader() {
    csv_free(&_parser->csv);
}

bool RecordReader::next(Record& record) {
    while (_parser->records.empty() && !_hasEnded)
        readPiece();
    if (_parser->records.empty())
        return false;
    record = std::move(_parser->records.front());
    _parser->records.pop_front();
    return true;
}

void RecordReader::readPiece() {
    const std::string piece = _source();
    _hasEnded = piece.empty();
    if (_hasEnded)
        csv_fini(&_parser->csv, Parser::addCell, Parser::endRow, _parser.get());
    else if (csv_parse(&_parser->csv, piece.data(), piece.size(), Parser::addCell, Parser::endRow, _parser.get()) !=
             piece.size())
        throw FileProblem("row " + std::to_string(_parser->row) +
                          " has a cell of more than 1 MiB; perhaps a quote before it is never closed");
    if (_parser->isTooWide)
        throw FileProblem("row " + std::to_string(_parser->row) + " has more than " + std::to_string(MAX_CELLS) +
                          " columns");
    if (_parser->isTooLarge)
        throw FileProblem("row " + std::to_string(_parser->row) + " has more than 4 MiB");
}

} // namespace supplierd::csv
