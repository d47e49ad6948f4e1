#pragma once

#include "list/ProductList.h"
#include "write/ProductEditor.h"

#include <supplierd/internal/ProductImages.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/Products.h>

namespace supplierd::catalog {

/// The services "supplierd.products/1" and "supplierd.product-images/1". What it is made with outlives it. Thread: any.
class ProductsService final : public Products, public ProductImages {
public:
    ProductsService(AuditLog& audit, Accounts& accounts, CategoryTree& categories, ListSources& lists)
        : _audit(audit),
          _accounts(accounts),
          _categories(categories),
          _lists(lists),
          _sandboxes(accounts, lists.memory) {}

    /// For one request or transaction.
    ProductEditor editor(std::int64_t supplierId, const Actor& actor,
                         std::optional<std::string_view> ifMatch = std::nullopt) {
        return {{_lists.images, _categories, _audit, _sandboxes}, supplierId, actor, ifMatch};
    }

    Listed<ProductRecord> list(Database& database, const QueryParameters& query) override;
    std::optional<ProductRecord> find(SqlSession& session, std::int64_t productId) override;
    ProductCounts count(SqlSession& session, std::int64_t supplierId) override;
    std::unique_ptr<ProductWalk> walk(Database& database, std::int64_t supplierId, std::string_view rawQuery) override;
    std::vector<ProductOffer> offers(SqlSession& session, std::span<const ProductRef> products) override;
    std::vector<std::optional<ProductRef>> bySku(SqlSession& session, std::int64_t supplierId,
                                                 std::span<const std::string> skus) override;
    std::vector<BatchedProduct> upsert(Transaction& transaction, std::int64_t supplierId,
                                       std::span<const JsonObject> products, const Actor& actor) override;
    std::vector<BatchedProduct> dryRun(SqlSession& session, std::int64_t supplierId,
                                       std::span<const JsonObject> products) override;
    std::vector<BatchedProduct> upsertVariants(Transaction& transaction, std::int64_t supplierId,
                                               std::span<const JsonObject> variants, const Actor& actor) override;
    std::vector<BatchedProduct> dryRunVariants(SqlSession& session, std::int64_t supplierId,
                                               std::span<const JsonObject> variants) override;
    void remove(Transaction& transaction, std::int64_t supplierId, std::int64_t productId, const Actor& actor) override;
    std::vector<ApprovalOutcome> approve(Transaction& transaction, std::span<const std::int64_t> productIds,
                                         const Actor& actor) override;
    std::vector<ApprovalOutcome> reject(Transaction& transaction, std::span<const std::int64_t> productIds,
                                        std::string_view reason, const Actor& actor) override;
    Products& products() override { return *this; }
    bool noteImages(Transaction& transaction, std::int64_t supplierId, std::int64_t productId) override;
    void setPrimaryImage(Transaction& transaction, std::int64_t productId,
                         const std::optional<std::string>& path) override;
    std::vector<PrimaryImage> primaryImages(SqlSession& session, std::int64_t after, std::size_t limit) override;

private:
    AuditLog& _audit;
    Accounts& _accounts;
    CategoryTree& _categories;
    ListSources& _lists;
    Sandboxes _sandboxes;
};

} // namespace supplierd::catalog
