#pragma once

#include "imports/ImportBatch.h"

#include <supplierd/services/Jobs.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace supplierd::csv {

/// One run of the job that imports what waits: a batch of each import after the other, so that a long one keeps no
/// short one waiting. Where each stands is written in the transaction of its batch, so a run that ended anywhere is
/// gone on with, and no row is done twice.
class ImportRun {
public:
    ImportRun(const ImportServices& services, JobRun& run) : _services(services), _run(run) {}

    /// Until none waits. Throws JobStopped, DatabaseError, ApiError (Unavailable).
    void work();

private:
    void step(std::int64_t id);
    void open(const ImportRecord& import);
    void doBatch(OpenImport& open);
    void end(std::int64_t id, ImportState state, const std::string& problem);

    const ImportServices& _services;
    JobRun& _run;
    std::map<std::int64_t, std::unique_ptr<OpenImport>> _open;
    std::int64_t _ended = 0;
};

} // namespace supplierd::csv
