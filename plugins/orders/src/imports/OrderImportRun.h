#pragma once

#include "imports/OrderImportStore.h"

#include <supplierd/Errors.h>
#include <supplierd/Log.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Orders.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::orders {

inline constexpr std::string_view IMPORT_JOB = "import";

/// One run of the job that takes in the orders of imports, in turns so that a long one keeps no short one waiting; of
/// one import in their order. Each is placed and counted in one transaction, so a run that ended anywhere is continued,
/// and no order is taken in twice.
class OrderImportRun {
public:
    OrderImportRun(OrderImportStore& store, Orders& book, Logger& log, JobRun& run)
        : _store(store), _book(book), _log(log), _run(run) {}

    /// Until none waits. Throws JobStopped, DatabaseError, ApiError (Unavailable).
    void work();

private:
    /// These return false when the import has ended.
    bool step(std::int64_t id);
    bool placeNext(Transaction& transaction, std::int64_t id);
    bool fail(std::int64_t id, const std::string& message, const std::vector<Detail>& details);
    bool stop(std::int64_t id, const std::exception& error);

    OrderImportStore& _store;
    Orders& _book;
    Logger& _log;
    JobRun& _run;
    std::int64_t _placed = 0;
};

} // namespace supplierd::orders
