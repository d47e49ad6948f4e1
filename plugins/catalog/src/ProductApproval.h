#pragma once

#include <supplierd/AuditLog.h>
#include <supplierd/Catalogue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// As Catalogue::batches().
std::vector<std::vector<std::int64_t>> batchesOf(SqlSession& session, const std::vector<std::int64_t>& productIds);

/// The platform's verdict on products, all or none: rejected with a reason, approved without. Takes the locks of their
/// suppliers' catalogues in ascending order, stamps the changed rows, keeps the totals right and writes the audit log.
/// Throws ApiError (NotFound) naming every id that is no live product.
std::vector<ApprovalOutcome> decideOnProducts(Transaction& transaction, AuditLog& audit, const AuditActor& actor,
                                              const std::vector<std::int64_t>& productIds,
                                              const std::optional<std::string>& rejectionReason);

} // namespace supplierd::catalog
