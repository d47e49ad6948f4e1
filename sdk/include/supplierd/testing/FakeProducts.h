#pragma once

#include <supplierd/services/Products.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// Products that can be looked up: those in `offered`, and their variants that are there with their own reference.
/// Every other function throws std::logic_error until a test overrides it. A host has no products unless the test
/// offers them before the plugin starts: FakeHost::offer<Products>(). Thread: one. Since 1.0.
class FakeProducts : public Products {
public:
    std::vector<std::pair<ProductRef, ProductOffer>> offered;

    std::vector<ProductOffer> offers(SqlSession&, std::span<const ProductRef> products) override {
        std::vector<ProductOffer> found;
        for (const ProductRef& wanted : products) {
            found.emplace_back();
            for (const auto& [product, offer] : offered)
                if (product == wanted || (product == ProductRef{wanted.productId} && !found.back().hasProduct))
                    found.back() = offer;
        }
        return found;
    }
    /// SKUs are compared as they are written.
    std::vector<std::optional<ProductRef>> bySku(SqlSession&, std::int64_t supplierId,
                                                 std::span<const std::string> skus) override {
        std::vector<std::optional<ProductRef>> found;
        for (const std::string& sku : skus) {
            found.emplace_back();
            for (const auto& [product, offer] : offered)
                if (!found.back() && offer.supplierId == supplierId && offer.sku == sku)
                    found.back() = product;
        }
        return found;
    }

    Listed<ProductRecord> list(Database&, const QueryParameters&) override { refuse("list"); }
    std::optional<ProductRecord> find(SqlSession&, std::int64_t) override { refuse("find"); }
    ProductCounts count(SqlSession&, std::int64_t) override { refuse("count"); }
    std::unique_ptr<ProductWalk> walk(Database&, std::int64_t, std::string_view) override { refuse("walk"); }
    using Batch = std::span<const JsonObject>;
    using Batched = std::vector<BatchedProduct>;
    Batched upsert(Transaction&, std::int64_t, Batch, const Actor&) override { refuse("upsert"); }
    Batched dryRun(SqlSession&, std::int64_t, Batch) override { refuse("dryRun"); }
    Batched upsertVariants(Transaction&, std::int64_t, Batch, const Actor&) override { refuse("upsertVariants"); }
    Batched dryRunVariants(SqlSession&, std::int64_t, Batch) override { refuse("dryRunVariants"); }
    void remove(Transaction&, std::int64_t, std::int64_t, const Actor&) override { refuse("remove"); }
    using Ids = std::span<const std::int64_t>;
    using Outcomes = std::vector<ApprovalOutcome>;
    Outcomes approve(Transaction&, Ids, const Actor&) override { refuse("approve"); }
    Outcomes reject(Transaction&, Ids, std::string_view, const Actor&) override { refuse("reject"); }

private:
    [[noreturn]] static void refuse(const std::string& function) {
        throw std::logic_error("FakeProducts has no " + function + "(): override it");
    }
};

} // namespace supplierd::testing
