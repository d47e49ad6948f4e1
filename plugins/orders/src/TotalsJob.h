#pragma once

#include <supplierd/Database.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::orders {

/// A number that is kept beside the rows that it counts, and is not theirs.
struct TotalsDifference {
    std::int64_t supplierId = 0;
    std::string what; ///< is counted, for people: "orders pending"
    std::int64_t kept = 0;
    std::int64_t counted = 0;
};

/// Compares the totals of order groups, which lists answer with instead of counting, with their rows: the job `totals`,
/// its route, and a quick check. One supplier after the other, while servers run. Thread: any.
class TotalsJob {
public:
    TotalsJob(Database& database, Jobs& jobs, Accounts& accounts, AuditLog& audit)
        : _database(database), _jobs(jobs), _accounts(accounts), _audit(audit) {}

    /// POST /order-totals/verify.
    Response request(Request& request);
    /// Input `{ "supplier_id": 7, "repair": true }`: only this supplier; keep what was counted, with an audit entry.
    void run(JobRun& run);
    /// As many suppliers as there is time for.
    CheckResult check();

private:
    struct Report {
        std::int64_t checked = 0;
        std::int64_t repaired = 0; ///< suppliers
        std::vector<TotalsDifference> wrong;

        std::string summary() const;
    };

    std::optional<std::int64_t> nextSupplier(std::int64_t after);
    void compare(std::int64_t supplierId, Report& report);
    void recount(JobRun& run, std::int64_t supplierId);
    std::int64_t countSuppliers();

    Database& _database;
    Jobs& _jobs;
    Accounts& _accounts;
    AuditLog& _audit;
};

} // namespace supplierd::orders
