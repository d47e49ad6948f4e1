#include "ProductApproval.h"

#include "ProductTerms.h"
#include "ProductTotals.h"

#include <supplierd/Errors.h>

#include <map>
#include <set>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_SUPPLIER = R"(
SELECT supplier_id FROM products FORCE INDEX (products_id) WHERE id = ? AND deleted = 0)";

constexpr std::string_view SELECT_PRODUCT = R"(
SELECT name, approval, approval_reason, category_id, type, state, is_active
FROM products FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND deleted = 0 AND id = ?)";

constexpr std::string_view UPDATE_APPROVAL = R"(
UPDATE products
SET approval = ?, approval_reason = ?, version = version + 1, change_seq = ?, updated_at = NOW(6)
WHERE supplier_id = ? AND deleted = 0 AND id = ?)";

ApiError noSuchProducts(const std::string& ids) {
    return ApiError::notFound("Product not found: " + ids);
}

/// In ascending order of the suppliers' ids: the order in which their locks are taken.
std::map<std::int64_t, std::set<std::int64_t>> groupBySupplier(SqlSession& session,
                                                               const std::vector<std::int64_t>& productIds) {
    std::map<std::int64_t, std::set<std::int64_t>> groups;
    std::string missing;
    for (const std::int64_t id : productIds) {
        Rows& rows = session.query(SELECT_SUPPLIER, {id});
        if (rows.next())
            groups[rows.integer(0)].insert(id);
        else
            missing += (missing.empty() ? "" : ", ") + std::to_string(id);
    }
    if (!missing.empty())
        throw noSuchProducts(missing);
    return groups;
}

/// One product of a supplier whose catalogue is locked; `seq` is the lock's change_seq.
ApprovalOutcome decide(Transaction& transaction, std::int64_t supplierId, std::int64_t seq, std::int64_t productId,
                       const std::optional<std::string>& reason) {
    const Approval verdict = reason ? Approval::Rejected : Approval::Approved;
    Rows& row = transaction.query(SELECT_PRODUCT, {supplierId, productId});
    if (!row.next()) // deleted between the look-up and the lock
        throw noSuchProducts(std::to_string(productId));
    ApprovalOutcome outcome;
    outcome.productId = productId;
    outcome.supplierId = supplierId;
    outcome.name = row.text(0);
    outcome.statusBefore = termAt(APPROVALS, row.integer(1));
    outcome.reasonBefore = row.maybeText(2);
    outcome.changed = static_cast<Approval>(row.integer(1)) != verdict || outcome.reasonBefore != reason;
    if (!outcome.changed)
        return outcome;

    const TotalsPlace before{row.integer(3), row.integer(4), static_cast<ProductState>(row.integer(5))};
    const TotalsPlace after{before.categoryId, before.type, stateOf(verdict, row.boolean(6))};
    transaction.execute(UPDATE_APPROVAL, {static_cast<std::int64_t>(verdict), reason, seq, supplierId, productId});
    moveInTotals(transaction, supplierId, before, after);
    return outcome;
}

} // namespace

std::vector<ApprovalOutcome> decideOnProducts(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                              const std::optional<std::string>& rejectionReason) {
    std::vector<ApprovalOutcome> outcomes;
    for (const auto& [supplierId, ids] : groupBySupplier(transaction, productIds)) {
        const std::int64_t seq = transaction.lockCatalogue(supplierId);
        for (const std::int64_t id : ids)
            outcomes.push_back(decide(transaction, supplierId, seq, id, rejectionReason));
    }
    return outcomes;
}

} // namespace supplierd::catalog
