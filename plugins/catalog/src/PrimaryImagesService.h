#pragma once

#include <supplierd/services/PrimaryImages.h>

namespace supplierd::catalog {

/// The service "supplierd.primary-images/1". Holds nothing. Thread: any.
class PrimaryImagesService final : public PrimaryImages {
public:
    bool isLive(SqlSession& session, std::int64_t supplierId, std::int64_t productId) override;
    std::set<std::int64_t> deletedOf(SqlSession& session, std::span<const std::int64_t> productIds) override;
    bool stamp(Transaction& transaction, std::int64_t supplierId, std::int64_t productId) override;
    void set(Transaction& transaction, std::int64_t productId, const std::optional<std::string>& path) override;
    std::vector<PrimaryImage> after(SqlSession& session, std::int64_t productId, std::size_t limit) override;
};

} // namespace supplierd::catalog
