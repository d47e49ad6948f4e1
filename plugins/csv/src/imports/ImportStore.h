#pragma once

#include "imports/ChangedRow.h"
#include "imports/ImportRecord.h"

#include <supplierd/ListPage.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::csv {

/// A row that could not be imported.
struct FailedRow {
    std::int64_t row = 0;
    std::string sku;
    std::string details; ///< JSON
};

/// Its details in one line.
std::string reasonsOf(const FailedRow& row);

/// What is kept of a supplier's imports that have ended, beside the time that it is kept for.
struct ImportRetention {
    std::int64_t files = 0;
    std::int64_t imports = 0;
};

/// Validation: a supplier has as many under way as it may.
ApiError tooManyImports(std::int64_t atOnce);

/// The tables of imports. Thread: any. Each throws DatabaseError.
class ImportStore {
public:
    /// Of an import's errors, those that are shown without its file.
    static constexpr std::int64_t SHOWN_ERRORS = 100;
    /// Of a dry run's changes, those that are kept and shown; of those with a far price as many.
    static constexpr std::int64_t SHOWN_CHANGES = 100;

    explicit ImportStore(Database& database) : _database(database) {}

    Database& database() const { return _database; }

    /// A new one, which receives its file; its id. Throws ApiError (Validation) when the supplier has `atOnce` of them
    /// that have not ended.
    std::int64_t begin(const ImportRecord& import, std::int64_t atOnce);
    /// Imports of the supplier that have not ended.
    std::int64_t underWay(std::int64_t supplierId);
    void addPiece(std::int64_t id, std::int64_t piece, std::string_view bytes);
    /// The n-th piece of the file; "" behind the last.
    std::string piece(std::int64_t id, std::int64_t piece);
    /// Its file is there and understood: from now on it waits.
    static void receive(SqlSession& session, const ImportRecord& import);
    /// Removes it with all that belongs to it.
    void remove(std::int64_t id);

    /// Of any supplier.
    static std::optional<ImportRecord> find(SqlSession& session, std::int64_t id);
    /// One of the supplier's.
    static std::optional<ImportRecord> find(SqlSession& session, std::int64_t supplierId, std::int64_t id);
    Listed<ImportRecord> list(std::int64_t supplierId, const ListPage& page);
    static ListRules rules(std::int64_t supplierId);
    static std::vector<FailedRow> errors(SqlSession& session, std::int64_t id, std::int64_t afterRow,
                                         std::int64_t limit);

    /// The oldest that wait or run.
    std::vector<std::int64_t> unfinished(std::int64_t limit);
    std::optional<ImportRecord> find(std::int64_t id);
    /// Takes its row's lock; false when it is neither waiting nor running any more.
    static bool lock(SqlSession& session, std::int64_t id);
    /// All rows up to `lastRow` are done, with these counts.
    static void advance(SqlSession& session, std::int64_t id, std::int64_t lastRow, const RowCounts& rows);
    static void addErrors(SqlSession& session, std::int64_t id, const std::vector<FailedRow>& rows);
    static void addChanges(SqlSession& session, std::int64_t id, const std::vector<ChangedRow>& rows);
    /// Those with a far price first; at most SHOWN_CHANGES.
    static std::vector<ChangedRow> changes(SqlSession& session, std::int64_t id);
    /// False when it has ended before.
    static bool end(SqlSession& session, std::int64_t id, ImportState state,
                    const std::optional<std::string>& problem = {});

    /// By which URLs are told apart.
    static std::string hashOf(const std::string& url);
    using ImageUrl = std::pair<std::int64_t, std::string>; ///< of a product, by hash
    /// What URLs of files gave to these products: ids of images, which may be gone.
    static std::map<ImageUrl, std::int64_t> imagesOf(SqlSession& session, const std::vector<std::int64_t>& products);
    static void addImage(SqlSession& session, std::int64_t product, const std::string& hash, std::int64_t image);

    /// Removes some of what is too old; how many rows. For JobRun::inPieces().
    static std::int64_t removeFiles(SqlSession& session, std::int64_t days);
    static std::int64_t removeImports(SqlSession& session, std::int64_t days);
    /// Of the supplier's that have ended, files and imports beyond these: the oldest go.
    void removeSurplus(std::int64_t supplierId, const ImportRetention& most);
    static std::int64_t removeImages(SqlSession& session, std::int64_t days);
    /// Ends those whose file stopped coming.
    static std::int64_t giveUpReceiving(SqlSession& session);

private:
    Database& _database;
};

} // namespace supplierd::csv
