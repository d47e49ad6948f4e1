#pragma once

#include "imports/ImportStore.h"
#include "text/RecordReader.h"

#include <cstdint>
#include <memory>

namespace supplierd::csv {

/// The records of an import's file, from the pieces that the store has. The store outlives it.
std::unique_ptr<RecordReader> openFile(ImportStore& store, std::int64_t id, const FileFormat& format);

/// What a look through a whole file finds.
struct FileSurvey {
    FileFormat format;
    std::vector<std::string> heading;
    std::int64_t headingRow = 1;
    std::int64_t rows = 0;
};

/// What a client says of a file.
struct GivenFormat {
    std::optional<CharacterSet> characterSet;
    std::optional<char> separator;
    std::optional<char> decimalSign;
};

/// Reads all of a file that is in the store. Throws FileProblem for what no import can be made of; ApiError
/// (Validation) where the client has to say which decimal sign it has.
FileSurvey surveyFile(ImportStore& store, std::int64_t id, const CharacterSetScan& scan, const GivenFormat& given);

} // namespace supplierd::csv
