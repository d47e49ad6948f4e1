#include "PlatformCatalogue.h"

#include "PlatformList.h"
#include "ProductApproval.h"
#include "ProductReader.h"

#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_OWNER = R"(
SELECT u.id, u.name
FROM products p FORCE INDEX (products_id) STRAIGHT_JOIN suppliers u FORCE INDEX (PRIMARY) ON u.id = p.supplier_id
WHERE p.id = ? AND p.deleted = 0)";

} // namespace

std::vector<ApprovalOutcome> PlatformCatalogue::decide(Transaction& transaction,
                                                       const std::vector<std::int64_t>& productIds,
                                                       const std::optional<std::string>& rejectionReason,
                                                       const AuditActor& actor) {
    return decideOnProducts(transaction, _audit, actor, productIds, rejectionReason);
}

std::vector<std::vector<std::int64_t>> PlatformCatalogue::batches(SqlSession& session,
                                                                  const std::vector<std::int64_t>& productIds) {
    return batchesOf(session, productIds);
}

bool PlatformCatalogue::writeProduct(SqlSession& session, std::int64_t productId, JsonWriter& json) {
    Rows& row = session.query(SELECT_OWNER, {productId});
    if (!row.next())
        return false;
    const ProductOwner owner{row.integer(0), std::string(row.text(1))};
    return writeProductOf(session, _images, owner, productId, json);
}

Response PlatformCatalogue::list(Request& request) {
    return PlatformList(request, _images != nullptr).answer();
}

} // namespace supplierd::catalog
