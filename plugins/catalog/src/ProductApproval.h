#pragma once

#include <supplierd/services/Products.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// Of so many products one transaction decides, so that their suppliers' own requests go on in between.
inline constexpr std::size_t APPROVAL_BATCH = 200;

/// As Products::approve() and Products::reject().
std::vector<ApprovalOutcome> approveProducts(Transaction& transaction, AuditLog& audit,
                                             std::span<const std::int64_t> productIds, const Actor& actor);
std::vector<ApprovalOutcome> rejectProducts(Transaction& transaction, AuditLog& audit,
                                            std::span<const std::int64_t> productIds, std::string_view reason,
                                            const Actor& actor);
/// Lets a product, which was rejected, wait for approval again. Throws NotFound.
void submitProduct(Transaction& transaction, AuditLog& audit, std::int64_t productId, const Actor& actor);
/// Approves, or rejects with a reason, those of the products that exist, and returns how many these are; `missing` gets
/// the ids of the others. Otherwise as approveProducts().
std::int64_t decideOnProducts(Transaction& transaction, AuditLog& audit, std::span<const std::int64_t> productIds,
                              const std::optional<std::string>& rejectionReason, const Actor& actor,
                              std::set<std::int64_t>& missing);

/// The first APPROVAL_BATCH of a supplier's products that wait for approval, with ids above `after`, in their order.
std::vector<std::int64_t> waitingProducts(SqlSession& session, std::int64_t supplierId, std::int64_t after);

} // namespace supplierd::catalog
