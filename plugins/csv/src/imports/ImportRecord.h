#pragma once

#include "text/CharacterSet.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/services/Accounts.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::csv {

/// The value is stored: append, never reorder. The last three have ended.
enum class ImportState { Receiving = 0, Waiting = 1, Running = 2, Done = 3, Cancelled = 4, Failed = 5 };
inline constexpr std::array<std::string_view, 6> IMPORT_STATES{"receiving", "waiting",   "running",
                                                               "done",      "cancelled", "failed"};

/// How a file is to be read, given or found out.
struct FileFormat {
    CharacterSet characterSet = CharacterSet::Utf8;
    char separator = ',';
    char decimalSign = '.';
};

/// What became of rows.
struct RowCounts {
    std::int64_t done = 0;
    std::int64_t created = 0;
    std::int64_t updated = 0;
    std::int64_t unchanged = 0;
    std::int64_t failed = 0;
    /// Of a dry run: those that an import would fetch.
    std::int64_t unfetchedImages = 0;
    /// Of a dry run: those with a price that is far from what it was.
    std::int64_t farPrices = 0;
};

/// A row of csv_imports.
struct ImportRecord {
    std::int64_t id = 0;
    std::int64_t supplierId = 0;
    ImportState state = ImportState::Receiving;
    bool isDryRun = false;
    bool clearsEmpty = false;
    std::optional<std::string> fileName;
    std::int64_t fileBytes = 0;
    bool hasFile = true;
    FileFormat format;
    std::vector<std::string> heading;
    std::int64_t headingRow = 1;
    Actor actor;
    std::int64_t rowsTotal = 0;
    std::int64_t lastRow = 0;
    RowCounts rows;
    std::optional<std::string> problem;
    std::string createdAt;
    std::optional<std::string> startedAt;
    std::optional<std::string> finishedAt;

    bool hasEnded() const { return state >= ImportState::Done; }
    /// Whether it asks other servers for images, which may take their time.
    bool fetchesImages() const;
};

/// What the API shows, as a value; to operators with the supplier, and without `errors_url`.
void writeJson(JsonWriter& json, const ImportRecord& import, const std::optional<Supplier>& supplier = std::nullopt);

/// "tab" stands for itself.
std::string separatorName(char separator);
std::optional<char> separatorNamed(std::string_view name);
inline constexpr std::array<std::string_view, 4> SEPARATORS{",", ";", "tab", "|"};
inline constexpr std::array<std::string_view, 2> DECIMAL_SIGNS{"point", "comma"};

} // namespace supplierd::csv
