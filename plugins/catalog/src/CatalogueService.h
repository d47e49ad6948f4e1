#pragma once

#include "write/Sandboxes.h"

#include <supplierd/services/Accounts.h>
#include <supplierd/services/Catalogue.h>
#include <supplierd/services/CategoryTree.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::catalog {

struct WaitingSupplier {
    std::int64_t supplierId = 0;
    std::string supplierName;
    std::int64_t products = 0;
};

/// The service "supplierd.catalogue/1", which the operators' routes stand on too. What it does is in
/// ProductApproval.cpp, OperatorProductList.cpp, ProductReader.cpp and CatalogueService.cpp. What it is made with
/// outlives it.
class CatalogueService final : public Catalogue {
public:
    CatalogueService(AuditLog& audit, Accounts& accounts, CategoryTree& categories)
        : _audit(audit), _accounts(accounts), _categories(categories), _sandboxes(accounts) {}

    Sandboxes& sandboxes() { return _sandboxes; }

    /// Before the first call; null: products have no images here.
    void useImages(ImageIngest* images) { _images = images; }

    std::vector<ApprovalOutcome> approve(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                         const Actor& actor) override;
    std::vector<ApprovalOutcome> reject(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                                        std::string_view reason, const Actor& actor) override;
    std::vector<std::vector<std::int64_t>> batches(SqlSession& session,
                                                   const std::vector<std::int64_t>& productIds) override;
    /// Approves, or rejects with a reason, those of the products that exist, and returns how many these are; `missing`
    /// gets the ids of the others. Otherwise as approve().
    std::int64_t decide(Transaction& transaction, const std::vector<std::int64_t>& productIds,
                        const std::optional<std::string>& rejectionReason, const Actor& actor,
                        std::set<std::int64_t>& missing);
    /// The first MAX_BATCH of a supplier's products that wait for approval, with ids above `after`, in their order.
    static std::vector<std::int64_t> waiting(SqlSession& session, std::int64_t supplierId, std::int64_t after);
    /// Suppliers with how many of their products wait for approval: whose first one has waited longest comes first.
    /// `query` has `page` and `per_page`.
    Listed<WaitingSupplier> waitingSuppliers(Database& database, const QueryParameters& query);

    Listed<ProductRecord> list(Database& database, const QueryParameters& query) override;
    std::optional<ProductRecord> find(SqlSession& session, std::int64_t productId) override;
    ProductCounts count(SqlSession& session, std::int64_t supplierId) override;

    ProductRecord create(Transaction& transaction, std::int64_t supplierId, const JsonObject& fields,
                         const Actor& actor) override;
    ProductRecord change(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                         const JsonObject& fields, const Actor& actor) override;
    std::vector<std::string> remove(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                                    const Actor& actor) override;

private:
    AuditLog& _audit;
    Accounts& _accounts;
    CategoryTree& _categories;
    Sandboxes _sandboxes;
    ImageIngest* _images = nullptr;
};

} // namespace supplierd::catalog
