#pragma once

#include <supplierd/Catalogue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// The platform's verdict on products, all or none: rejected with a reason, approved without. Takes the locks of their
/// suppliers' catalogues in ascending order, stamps the changed rows and keeps the totals right.
/// Throws ApiError (NotFound) naming every id that is no live product.
std::vector<ApprovalOutcome> decideOnProducts(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                              const std::optional<std::string>& rejectionReason);

} // namespace supplierd::catalog
