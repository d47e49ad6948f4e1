#pragma once

#include "list/ProductList.h"
#include "write/Sandboxes.h"

#include <supplierd/services/AuditLog.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ProductBatches.h>

namespace supplierd::catalog {

/// The service "supplierd.product-batches/1". What it is made with outlives it. Thread: any.
class ProductBatchesService final : public ProductBatches {
public:
    ProductBatchesService(AuditLog& audit, CategoryTree& categories, ListSources& lists, Sandboxes& sandboxes)
        : _audit(audit), _categories(categories), _lists(lists), _sandboxes(sandboxes) {}

    std::vector<BatchedProduct> upsert(Transaction& transaction, std::int64_t supplierId,
                                       std::span<const JsonObject> products, const Actor& actor) override;
    std::vector<BatchedProduct> dryRun(SqlSession& session, std::int64_t supplierId,
                                       std::span<const JsonObject> products) override;
    std::vector<BatchedProduct> upsertVariants(Transaction& transaction, std::int64_t supplierId,
                                               std::span<const JsonObject> variants, const Actor& actor) override;
    std::vector<BatchedProduct> dryRunVariants(SqlSession& session, std::int64_t supplierId,
                                               std::span<const JsonObject> variants) override;
    std::unique_ptr<ProductWalk> walk(Database& database, std::int64_t supplierId, std::string_view rawQuery) override;

private:
    AuditLog& _audit;
    CategoryTree& _categories;
    ListSources& _lists;
    Sandboxes& _sandboxes;
};

} // namespace supplierd::catalog
