#include "batch/ProductBatchesService.h"

#include "batch/BatchPlan.h"
#include "batch/ListedWalk.h"
#include "batch/VariantPlan.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace supplierd::catalog {

namespace {

using Outcome = BatchedProduct::Outcome;

bool isWritten(const BatchedProduct& result) {
    return result.outcome == Outcome::Created || result.outcome == Outcome::Updated;
}

template <class Planned>
bool changesSomething(const std::vector<Planned>& plan) {
    return std::any_of(plan.begin(), plan.end(), [](const Planned& planned) { return isWritten(planned.result); });
}

template <class Planned>
std::vector<BatchedProduct> resultsOf(std::vector<Planned>& plan) {
    std::vector<BatchedProduct> results;
    results.reserve(plan.size());
    for (Planned& planned : plan)
        results.push_back(std::move(planned.result));
    return results;
}

void requireSize(std::size_t count) {
    if (count > ProductBatches::MAX_BATCH)
        throw std::length_error("more products than a batch may have");
}

} // namespace

std::vector<BatchedProduct> ProductBatchesService::upsert(Transaction& transaction, std::int64_t supplierId,
                                                          std::span<const JsonObject> products, const Actor& actor) {
    requireSize(products.size());
    BatchPlan planner(transaction, _categories, supplierId);
    // A batch that changes nothing keeps nobody waiting and leaves nothing in the change log.
    std::vector<PlannedProduct> plan = planner.make(products);
    if (changesSomething(plan)) {
        transaction.change(supplierId);
        plan = planner.make(products);
        std::vector<ProductWrite*> writes;
        for (PlannedProduct& planned : plan)
            if (isWritten(planned.result))
                writes.push_back(&planned.write);
        ProductWriter(transaction, {nullptr, _audit, _sandboxes}, supplierId, actor).write(writes);
        for (PlannedProduct& planned : plan)
            if (isWritten(planned.result))
                planned.result.productId = planned.write.id;
    }
    return resultsOf(plan);
}

std::vector<BatchedProduct> ProductBatchesService::dryRun(SqlSession& session, std::int64_t supplierId,
                                                          std::span<const JsonObject> products) {
    requireSize(products.size());
    std::vector<PlannedProduct> plan = BatchPlan(session, _categories, supplierId).make(products);
    return resultsOf(plan);
}

std::vector<BatchedProduct> ProductBatchesService::upsertVariants(Transaction& transaction, std::int64_t supplierId,
                                                                  std::span<const JsonObject> variants,
                                                                  const Actor& actor) {
    requireSize(variants.size());
    std::vector<PlannedVariant> plan = VariantPlan(transaction, supplierId).make(variants);
    if (changesSomething(plan)) { // as upsert()
        transaction.change(supplierId);
        plan = VariantPlan(transaction, supplierId).make(variants);
        std::map<std::int64_t, ProductWrite> writes;
        for (const PlannedVariant& planned : plan)
            if (isWritten(planned.result))
                writes[planned.result.productId].input.variants.push_back(planned.input);
        std::vector<ProductWrite*> products;
        for (auto& [productId, write] : writes) {
            if (productId == 0) // it was only expected to be there
                throw ApiError::notFound("Product not found");
            write.id = productId;
            products.push_back(&write);
        }
        ProductWriter(transaction, {nullptr, _audit, _sandboxes}, supplierId, actor).write(products);
    }
    return resultsOf(plan);
}

std::vector<BatchedProduct> ProductBatchesService::dryRunVariants(SqlSession& session, std::int64_t supplierId,
                                                                  std::span<const JsonObject> variants) {
    requireSize(variants.size());
    std::vector<PlannedVariant> plan = VariantPlan(session, supplierId).make(variants);
    return resultsOf(plan);
}

std::unique_ptr<ProductWalk> ProductBatchesService::walk(Database& database, std::int64_t supplierId,
                                                         std::string_view rawQuery) {
    return ListedWalk::begin(database, _lists, supplierId, rawQuery);
}

} // namespace supplierd::catalog
