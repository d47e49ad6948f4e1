#pragma once

#include "imports/ImportStore.h"

#include <supplierd/Log.h>
#include <supplierd/Metrics.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/ProductBatches.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace supplierd::csv {

/// What imports count.
struct ImportMetrics {
    Counter& created;
    Counter& updated;
    Counter& unchanged;
    Counter& failed;
};

/// What imports are made with; it outlives them.
struct ImportServices {
    ImportStore& store;
    ProductBatches& products;
    CategoryTree& categories;
    Logger& log;
    ImportMetrics metrics;
    /// Rows of one transaction.
    std::size_t batchRows = 200;
    /// Whose reasons are kept, of each import.
    std::int64_t maxFailedRows = 10'000;
};

/// One run of the job that imports what waits: a batch of each import after the other, so that a long one keeps no
/// short one waiting. Where each stands is written in the transaction of its batch, so a run that ended anywhere is
/// gone on with, and no row is done twice.
class ImportRun {
public:
    ImportRun(const ImportServices& services, JobRun& run);
    ~ImportRun();
    ImportRun(const ImportRun&) = delete;
    ImportRun& operator=(const ImportRun&) = delete;

    /// Until none waits. Throws JobStopped, DatabaseError, ApiError (Unavailable).
    void work();

private:
    struct Open;

    void step(std::int64_t id);
    std::unique_ptr<Open> open(const ImportRecord& import) const;
    void doBatch(Open& open);
    /// In the order of the batch.
    std::vector<BatchedProduct> resultsOf(Transaction& transaction, const Open& open) const;
    RowCounts put(Transaction& transaction, const Open& open, std::vector<FailedRow>& failed) const;
    void end(std::int64_t id, ImportState state, const std::string& problem);

    const ImportServices& _services;
    JobRun& _run;
    std::map<std::int64_t, std::unique_ptr<Open>> _open;
    std::int64_t _ended = 0;
};

} // namespace supplierd::csv
