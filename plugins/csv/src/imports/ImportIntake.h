#pragma once

#include "imports/ImportFile.h"
#include "imports/ImportStore.h"

#include <supplierd/services/Jobs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace supplierd::csv {

/// What it does is work on the database alone.
inline constexpr std::string_view IMPORT_JOB = "import";
/// For those that fetch images: nobody else waits for other people's servers.
inline constexpr std::string_view IMAGES_JOB = "import-images";

/// Takes files in, from a request or from a terminal. What it is made with outlives it. Thread: any.
class ImportIntake {
public:
    /// The next bytes of the file, 0 at its end: as BodyStream::read().
    using Read = std::function<std::size_t(std::span<char>)>;
    /// Calls enqueue() within a transaction.
    using Accept = std::function<void(const ImportRecord&)>;

    ImportIntake(ImportStore& store, Jobs& jobs, std::int64_t atOnce, const KeptImports& most)
        : _store(store), _jobs(jobs), _atOnce(atOnce), _most(most) {}

    /// Stores the file, looks through it, and has it accepted; when any of that throws, nothing of it stays. Throws
    /// ApiError: Conflict when too many imports of the supplier are under way, Validation for a file of which none can
    /// be made; what `read` and `accept` throw.
    void take(ImportRecord import, const GivenFormat& format, const Read& read, const Accept& accept);
    /// From now on it waits for the job, which is woken.
    void enqueue(Transaction& transaction, const ImportRecord& import);

private:
    std::int64_t receive(const Read& read, std::int64_t id, CharacterSetScan& scan);

    ImportStore& _store;
    Jobs& _jobs;
    std::int64_t _atOnce;
    KeptImports _most;
};

} // namespace supplierd::csv
