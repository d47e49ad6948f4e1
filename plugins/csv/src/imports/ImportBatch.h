#pragma once

#include "imports/ImportServices.h"
#include "imports/OpenImport.h"
#include "imports/RowImages.h"

#include <vector>

namespace supplierd::csv {

/// The batch of an import that was read last: writes its rows. Thread: one. What it is made with outlives it.
class ImportBatch {
public:
    ImportBatch(const ImportServices& services, OpenImport& open)
        : _services(services), _open(open), _images(services, open) {}

    /// What takes its time, outside of any transaction. Throws JobStopped, DatabaseError.
    void prepare(JobRun& run) { _images.fetch(run); }
    /// Writes the rows, or looks what that would do, and says what of it a reader would look at: of an import what
    /// failed, of a dry run the changes, too. May be repeated with its transaction. Throws DatabaseError.
    RowCounts put(Transaction& transaction, std::vector<FailedRow>& failed, std::vector<ChangedRow>& changed);

private:
    using Results = std::vector<BatchedProduct>;

    void putProducts(Transaction& transaction, Results& results) const;
    void putVariants(Transaction& transaction, Results& results) const;
    /// How many a dry run left unfetched.
    std::int64_t addImages(Transaction& transaction, Results& results) const;
    bool isNew(const ProductRow& row) const;
    RowCounts countOf(Results& results, std::vector<FailedRow>& failed, std::vector<ChangedRow>& changed) const;

    const ImportServices& _services;
    OpenImport& _open;
    RowImages _images;
};

} // namespace supplierd::csv
