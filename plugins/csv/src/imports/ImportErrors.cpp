#include "imports/ImportErrors.h"

#include "Columns.h"
#include "text/CsvStyle.h"

#include <algorithm>

namespace supplierd::csv {

namespace {

constexpr std::int64_t ROWS_AT_ONCE = 500;

} // namespace

ImportErrors::ImportErrors(ImportStore& store, const ImportRecord& import)
    : _store(store),
      _import(import),
      _width(import.heading.size()),
      _reasons(static_cast<std::size_t>(std::find(import.heading.begin(), import.heading.end(), ERRORS_COLUMN) -
                                        import.heading.begin())) {}

bool ImportErrors::append(std::string& text) {
    if (!_records) {
        appendHeading(text);
        _records = openFile(_store, _import.id, _import.format);
        return true;
    }
    if (!readFailed())
        return false;
    CsvWriter csv(text, {_import.format.separator, _import.format.decimalSign});
    Record record;
    while (record.row < _failed.front().row)
        if (!_records->next(record))
            return false;
    for (std::size_t i = 0; i < std::max(_width, record.cells.size()); ++i)
        if (i != _reasons)
            csv.text(i < record.cells.size() ? unguarded(record.cells[i]) : std::string());
    csv.text(reasonsOf(_failed.front())).endLine();
    _failed.pop_front();
    return true;
}

void ImportErrors::appendHeading(std::string& text) {
    text += BYTE_ORDER_MARK;
    CsvWriter csv(text, {_import.format.separator, _import.format.decimalSign});
    for (std::size_t i = 0; i < _width; ++i)
        if (i != _reasons)
            csv.text(_import.heading[i]);
    csv.text(ERRORS_COLUMN).endLine();
}

bool ImportErrors::readFailed() {
    if (!_failed.empty())
        return true;
    const auto rows = _store.database().read(
        [&](SqlSession& session) { return ImportStore::errors(session, _import.id, _lastRow, ROWS_AT_ONCE); });
    _failed.assign(rows.begin(), rows.end());
    if (!rows.empty())
        _lastRow = rows.back().row;
    return !rows.empty();
}

} // namespace supplierd::csv
