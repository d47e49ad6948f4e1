#pragma once

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

enum class ApprovalVerdict { Approved, Rejected };

/// What became of one product.
struct ApprovalOutcome {
    std::int64_t productId = 0;
    std::int64_t supplierId = 0;
    std::string name;
    bool changed = false; ///< false: it was so before, and nothing was touched
};

/// An administrator's verdict on products, as one transaction: all of them or none. Takes the lock of each supplier's
/// catalogue, stamps the changed rows, and keeps the totals right.
class ProductApproval {
public:
    ProductApproval(ApprovalVerdict verdict, std::optional<std::string> reason)
        : _verdict(verdict), _reason(std::move(reason)) {}

    /// Throws CommandFailure naming every id that is no live product, and DatabaseError.
    std::vector<ApprovalOutcome> apply(Database& database, const std::vector<std::int64_t>& productIds) const;

private:
    ApprovalOutcome decide(Transaction& transaction, std::int64_t supplierId, std::int64_t changeSeq,
                           std::int64_t productId) const;

    ApprovalVerdict _verdict;
    std::optional<std::string> _reason;
};

} // namespace supplierd::host
