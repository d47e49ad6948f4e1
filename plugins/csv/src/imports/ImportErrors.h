#pragma once

#include "exports/TextStream.h"
#include "imports/ImportFile.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace supplierd::csv {

/// The rows of a file that could not be imported, as they came, with a column of reasons at the end: mended, it can be
/// imported again. In UTF-8, with the file's own separator.
class ImportErrors final : public TextStream {
public:
    /// The store outlives it.
    ImportErrors(ImportStore& store, const ImportRecord& import);

private:
    bool append(std::string& text) override;
    void appendHeading(std::string& text);
    bool readFailed();

    ImportStore& _store;
    const ImportRecord _import;
    std::unique_ptr<RecordReader> _records; ///< null: the heading is not yet written
    std::deque<FailedRow> _failed;
    std::int64_t _lastRow = 0;
    std::size_t _width = 0;
    std::size_t _reasons; ///< the column of an errors.csv that came back
};

} // namespace supplierd::csv
