#pragma once

#include <supplierd/Database.h>
#include <supplierd/Log.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/ChangeLog.h>
#include <supplierd/services/Jobs.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// Takes deleted products out of the database for good, once the change log is no longer as old as their deletion:
/// then no delta that is answered needs them. Thread: one at a time, but for useImages().
class DeletedProducts {
public:
    struct Dependencies {
        Database& database;
        ChangeLog& changes;
        Logger& log;
    };

    explicit DeletedProducts(const Dependencies& dependencies) : _dependencies(dependencies) {}

    /// Before the job runs. Null: nobody offers images.
    void useImages(ImageIngest* images) { _images = images; }
    /// The job. Throws DatabaseError, JobStopped.
    void remove(JobRun& run);

private:
    struct Result {
        std::int64_t removed = 0;
        /// Something of another plugin points at them.
        std::int64_t held = 0;
    };
    using Ids = std::vector<std::int64_t>;

    void removeOf(JobRun& run, std::int64_t supplierId, Result& result);
    void removePiece(JobRun& run, std::int64_t supplierId, std::int64_t logBegin, std::span<const std::int64_t> ids,
                     Result& result);
    /// How many; gives the keys of files that are nobody's then.
    std::int64_t removeWithin(Transaction& transaction, std::int64_t supplierId, std::int64_t logBegin,
                              std::span<const std::int64_t> ids, std::vector<std::string>& imageFiles) const;

    Dependencies _dependencies;
    ImageIngest* _images = nullptr;
};

} // namespace supplierd::catalog
