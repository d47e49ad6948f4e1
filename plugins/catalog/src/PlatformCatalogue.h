#pragma once

#include <supplierd/Catalogue.h>

namespace supplierd::catalog {

/// The service "supplierd.catalogue/1". Keeps nothing between calls.
class PlatformCatalogue final : public Catalogue {
public:
    std::vector<ApprovalOutcome> decide(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                        const std::optional<std::string>& rejectionReason) override;
    bool writeProduct(SqlSession& session, std::int64_t productId, JsonWriter& json) override;
    Response list(Request& request) override;
};

} // namespace supplierd::catalog
