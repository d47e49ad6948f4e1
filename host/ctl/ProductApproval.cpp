#include "host/ctl/ProductApproval.h"

#include "host/ctl/CommandFailure.h"

#include <array>
#include <map>
#include <set>

namespace supplierd::host {
namespace {

constexpr std::int64_t APPROVED = 1;
constexpr std::int64_t REJECTED = 2;

constexpr std::string_view SELECT_SUPPLIER = R"sql(
SELECT supplier_id FROM products WHERE id = ? AND deleted = 0
)sql";

constexpr std::string_view SELECT_PRODUCT = R"sql(
SELECT name, approval, approval_reason, category_id, type, state
FROM products WHERE supplier_id = ? AND deleted = 0 AND id = ?
)sql";

constexpr std::string_view UPDATE_PRODUCT = R"sql(
UPDATE products
SET approval = ?, approval_reason = ?, version = version + 1, change_seq = ?, updated_at = NOW(6)
WHERE supplier_id = ? AND deleted = 0 AND id = ?
)sql";

constexpr std::string_view SELECT_STATE = R"sql(
SELECT state FROM products WHERE supplier_id = ? AND deleted = 0 AND id = ?
)sql";

constexpr std::string_view TAKE_FROM_TOTALS = R"sql(
UPDATE product_totals SET products = products - 1
WHERE supplier_id = ? AND category_id = ? AND type = ? AND state = ?
)sql";

constexpr std::string_view ADD_TO_TOTALS = R"sql(
INSERT INTO product_totals (supplier_id, category_id, type, state, products) VALUES (?, ?, ?, ?, 1)
ON DUPLICATE KEY UPDATE products = products + 1
)sql";

constexpr std::string_view MOVE_SUPPLIER_TOTALS = R"sql(
UPDATE supplier_state
SET products_pending = products_pending + ?, products_active = products_active + ?,
    products_inactive = products_inactive + ?
WHERE supplier_id = ?
)sql";

/// +1 for the state a product comes into, -1 for the one it leaves; state 0 pending, 1 active, 2 inactive.
std::int64_t difference(std::int64_t state, std::int64_t before, std::int64_t after) {
    return static_cast<std::int64_t>(state == after) - static_cast<std::int64_t>(state == before);
}

/// The products by supplier, in ascending order of the suppliers' ids: the order in which their locks are taken.
std::map<std::int64_t, std::set<std::int64_t>> groupBySupplier(SqlSession& session,
                                                               const std::vector<std::int64_t>& productIds) {
    std::map<std::int64_t, std::set<std::int64_t>> groups;
    std::string missing;
    for (const auto id : productIds) {
        auto& rows = session.query(SELECT_SUPPLIER, {id});
        if (rows.next())
            groups[rows.integer(0)].insert(id);
        else
            missing += (missing.empty() ? "" : ", ") + std::to_string(id);
    }
    if (!missing.empty())
        throw CommandFailure("there is no such product: " + missing + "; nothing was changed");
    return groups;
}

struct ProductPlace {
    std::int64_t supplierId;
    std::int64_t categoryId;
    std::int64_t type;
};

void moveTotals(Transaction& transaction, const ProductPlace& place, std::int64_t before, std::int64_t after) {
    if (before == after)
        return;
    transaction.execute(TAKE_FROM_TOTALS, {place.supplierId, place.categoryId, place.type, before});
    transaction.execute(ADD_TO_TOTALS, {place.supplierId, place.categoryId, place.type, after});
    transaction.execute(MOVE_SUPPLIER_TOTALS, {difference(0, before, after), difference(1, before, after),
                                               difference(2, before, after), place.supplierId});
}

} // namespace

std::vector<ApprovalOutcome> ProductApproval::apply(Database& database,
                                                    const std::vector<std::int64_t>& productIds) const {
    std::vector<ApprovalOutcome> outcomes;
    database.withTransaction([&](Transaction& transaction) {
        outcomes.clear();
        for (const auto& [supplierId, ids] : groupBySupplier(transaction, productIds)) {
            const auto changeSeq = transaction.lockCatalogue(supplierId);
            for (const auto id : ids)
                outcomes.push_back(decide(transaction, supplierId, changeSeq, id));
        }
    });
    return outcomes;
}

ApprovalOutcome ProductApproval::decide(Transaction& transaction, std::int64_t supplierId, std::int64_t changeSeq,
                                        std::int64_t productId) const {
    const auto approval = _verdict == ApprovalVerdict::Approved ? APPROVED : REJECTED;
    auto& product = transaction.query(SELECT_PRODUCT, {supplierId, productId});
    if (!product.next()) // deleted between the look-up and the lock
        throw CommandFailure("product " + std::to_string(productId) + " was deleted meanwhile; nothing was changed");
    ApprovalOutcome outcome{productId, supplierId, std::string(product.text(0)), true};
    if (product.integer(1) == approval && product.maybeText(2) == _reason) {
        outcome.changed = false;
        return outcome;
    }
    const ProductPlace place{supplierId, product.integer(3), product.integer(4)};
    const auto before = product.integer(5);

    transaction.execute(UPDATE_PRODUCT, {approval, _reason, changeSeq, supplierId, productId});
    auto& state = transaction.query(SELECT_STATE, {supplierId, productId});
    state.next();
    moveTotals(transaction, place, before, state.integer(0));
    return outcome;
}

} // namespace supplierd::host
