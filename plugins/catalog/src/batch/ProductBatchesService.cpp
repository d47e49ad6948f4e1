#include "batch/ProductBatchesService.h"

#include "batch/BatchWriter.h"
#include "batch/ListedWalk.h"
#include "batch/VariantBatch.h"

#include <algorithm>
#include <stdexcept>

namespace supplierd::catalog {

namespace {

using Outcome = BatchedProduct::Outcome;

template <class Planned>
bool changesSomething(const std::vector<Planned>& plan) {
    return std::any_of(plan.begin(), plan.end(), [](const Planned& planned) {
        return planned.result.outcome == Outcome::Created || planned.result.outcome == Outcome::Updated;
    });
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
        BatchWriter(transaction, _audit, _sandboxes, supplierId, actor).write(plan);
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
    if (changesSomething(plan)) { // as put()
        transaction.change(supplierId);
        plan = VariantPlan(transaction, supplierId).make(variants);
        VariantBatch(transaction, {nullptr, _categories, _audit, _sandboxes}, supplierId, actor).write(plan);
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
