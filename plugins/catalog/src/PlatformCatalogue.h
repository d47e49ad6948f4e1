#pragma once

#include <supplierd/Catalogue.h>
#include <supplierd/ImageIngest.h>

namespace supplierd::catalog {

/// The service "supplierd.catalogue/1". The AuditLog outlives it.
class PlatformCatalogue final : public Catalogue {
public:
    explicit PlatformCatalogue(AuditLog& audit) : _audit(audit) {}

    /// Before the first call; null: products have no images here.
    void useImages(ImageIngest* images) { _images = images; }

    std::vector<ApprovalOutcome> decide(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                        const std::optional<std::string>& rejectionReason,
                                        const AuditActor& actor) override;
    bool writeProduct(SqlSession& session, std::int64_t productId, JsonWriter& json) override;
    Response list(Request& request) override;
    std::vector<std::vector<std::int64_t>> batches(SqlSession& session,
                                                   const std::vector<std::int64_t>& productIds) override;

private:
    AuditLog& _audit;
    ImageIngest* _images = nullptr;
};

} // namespace supplierd::catalog
