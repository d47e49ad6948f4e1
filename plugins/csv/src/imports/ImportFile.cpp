#include "imports/ImportFile.h"

#include "Columns.h"
#include "text/CellNumbers.h"

#include <supplierd/Errors.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::string_view SEPARATOR_LINE = "sep=";
/// As many as a sheet of Excel or LibreOffice has; what the import remembers of each takes memory.
constexpr std::int64_t MAX_ROWS = 1'048'576;

RecordReader::Source sourceOf(ImportStore& store, std::int64_t id, CharacterSet set) {
    struct State {
        Decoder decoder;
        std::int64_t piece = 0;
    };
    const auto state = std::make_shared<State>(State{Decoder(set)});
    return [&store, id, state] {
        std::string text;
        while (text.empty()) {
            const std::string bytes = store.piece(id, state->piece++);
            if (bytes.empty())
                break;
            text = state->decoder.decode(bytes);
        }
        return text;
    };
}

/// The first record of a file, read with that separator; nothing when it cannot be.
std::optional<Record> firstRecordOf(const std::string& text, char separator) {
    bool isRead = false;
    RecordReader reader(
        [&] {
            const std::string piece = isRead ? std::string() : text;
            isRead = true;
            return piece;
        },
        separator);
    try {
        Record record;
        return reader.next(record) ? std::optional(std::move(record)) : std::nullopt;
    } catch (const FileProblem&) { // in rows that are too wide with a separator which is none
        return std::nullopt;
    }
}

/// Excel's "sep=;" in the first row.
std::optional<char> declaredSeparator(const std::string& text) {
    const std::string_view line = std::string_view(text).substr(0, SEPARATOR_LINE.size() + 1);
    if (!line.starts_with(SEPARATOR_LINE) || line.size() == SEPARATOR_LINE.size())
        return std::nullopt;
    const char separator = line.back();
    const bool isPrintable = separator > ' ' && separator < 0x7F && separator != '"';
    if (!isPrintable && separator != '\t')
        throw FileProblem("the first row says sep= and no character that separates");
    return separator;
}

/// The one with which the first row has the most known columns, then the most columns.
char separatorOf(const std::string& text) {
    if (const auto declared = declaredSeparator(text))
        return *declared;
    std::pair<std::size_t, std::size_t> best{0, 0};
    char separator = ',';
    for (const std::string_view name : SEPARATORS) {
        const char candidate = separatorNamed(name).value();
        const auto record = firstRecordOf(text, candidate);
        if (!record)
            continue;
        const auto& cells = record->cells;
        const std::pair found{Heading::countKnown(cells), cells.size()};
        if (found > best) {
            best = found;
            separator = candidate;
        }
    }
    return separator;
}

bool isSeparatorLine(const Record& record) {
    return record.row == 1 && record.cells.front().starts_with(SEPARATOR_LINE);
}

void requireUtf8(CharacterSet set, const CharacterSetScan& scan) {
    if (set == CharacterSet::Utf8 && !scan.isUtf8())
        throw FileProblem("the file is said to be UTF-8, and is not: save it as \"CSV UTF-8\", or name its charset");
}

} // namespace

std::unique_ptr<RecordReader> openFile(ImportStore& store, std::int64_t id, const FileFormat& format) {
    return std::make_unique<RecordReader>(sourceOf(store, id, format.characterSet), format.separator);
}

FileSurvey surveyFile(ImportStore& store, std::int64_t id, const CharacterSetScan& scan, const GivenFormat& given) {
    FileSurvey survey;
    survey.format.characterSet = given.characterSet.value_or(scan.result());
    requireUtf8(survey.format.characterSet, scan);
    survey.format.separator =
        given.separator ? *given.separator : separatorOf(sourceOf(store, id, survey.format.characterSet)());
    const auto reader = openFile(store, id, survey.format);
    Record record;
    bool isThere = reader->next(record);
    if (isThere && isSeparatorLine(record))
        isThere = reader->next(record);
    if (!isThere)
        throw FileProblem("the file is empty");
    survey.heading = record.cells;
    survey.headingRow = record.row;
    const Heading heading(survey.heading);
    DecimalSigns signs;
    for (; reader->next(record); ++survey.rows) {
        if (survey.rows == MAX_ROWS)
            throw FileProblem("the file has more than " + std::to_string(MAX_ROWS) + " rows, as no spreadsheet has");
        for (std::size_t i = 0; i < std::min(heading.size(), record.cells.size()); ++i)
            if (const Column* const column = heading.column(i); column && column->kind == ColumnKind::Decimal)
                signs.add(record.cells[i]);
    }
    const auto sign = given.decimalSign ? given.decimalSign : signs.result();
    if (!sign)
        throw ApiError::validation(
            {{"decimal", "required", "decimal must be point or comma: the file's numbers, like 1,234, may be either"}});
    survey.format.decimalSign = *sign;
    return survey;
}

} // namespace supplierd::csv
