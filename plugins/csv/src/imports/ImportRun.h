#pragma once

#include "imports/ImportBatch.h"

#include <supplierd/services/Jobs.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::csv {

/// One run of a job that imports what waits: a batch of each import after the other, so that a long one keeps no
/// short one waiting; where there are many, some at a time, in turns. Where each stands is written in the transaction
/// of its batch, so a run that ended anywhere is gone on with, and no row is done twice.
class ImportRun {
public:
    /// `fetchesImages`: it does those that fetch images, else the others.
    ImportRun(const ImportServices& services, JobRun& run, bool fetchesImages)
        : _services(services), _run(run), _fetchesImages(fetchesImages) {}

    /// Until none waits. Throws JobStopped, DatabaseError, ApiError (Unavailable).
    void work();

private:
    using Clock = std::chrono::steady_clock;
    struct Turn {
        std::unique_ptr<OpenImport> import;
        Clock::time_point end;
    };

    std::vector<std::int64_t> unfinished();
    std::vector<std::int64_t> chosen(const std::vector<std::int64_t>& ids);
    void step(std::int64_t id);
    void open(const ImportRecord& import);
    void doBatch(OpenImport& open);
    void end(std::int64_t id, ImportState state, const std::string& problem);

    const ImportServices& _services;
    JobRun& _run;
    const bool _fetchesImages;
    std::map<std::int64_t, bool> _areOwn; ///< whether they are this job's
    std::map<std::int64_t, Turn> _open;
    std::map<std::int64_t, std::int64_t> _turns; ///< that they have had
    std::int64_t _ended = 0;
};

} // namespace supplierd::csv
