#pragma once

#include <supplierd/KeptTotals.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

class ControlContext;

struct WrongTotal {
    std::int64_t supplierId = 0;
    TotalsDifference difference;
};

struct TotalsReport {
    std::int64_t suppliers = 0; ///< that there are
    std::int64_t checked = 0;
    std::int64_t repaired = 0; ///< suppliers
    std::vector<WrongTotal> wrong;
    std::string stopReason; ///< empty when it got to the end

    bool isGood() const { return stopReason.empty() && (wrong.empty() || repaired > 0); }
};

/// Compares the totals that the enabled plugins keep with their rows, one supplier after the other, while servers run.
/// Thread: one.
class TotalsCheck {
public:
    struct Options {
        std::optional<std::int64_t> supplierId = std::nullopt; ///< only this one
        bool repair = false;                                   ///< each in a transaction, with its audit entry
        /// Asked after each supplier: why it is to end here, empty to go on. May be null.
        std::function<std::string(const TotalsReport&)> stopReason = {};
    };

    /// Starts the plugins that keep totals. Throws CommandFailure when one cannot start.
    explicit TotalsCheck(ControlContext& context);

    /// Whether any plugin keeps totals here.
    bool isPossible() const { return _products || _orders; }
    /// Throws DatabaseError, ApiError, and CommandFailure for a supplier that does not exist.
    TotalsReport run(const Options& options);

private:
    std::vector<TotalsDifference> compare(SqlSession& session, std::int64_t supplierId) const;
    void repair(std::int64_t supplierId);

    ControlContext& _context;
    ProductTotals* _products = nullptr;
    OrderTotals* _orders = nullptr;
};

} // namespace supplierd::host
