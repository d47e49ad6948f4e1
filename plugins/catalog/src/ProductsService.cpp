#include "ProductsService.h"

#include "OperatorProductList.h"
#include "ProductApproval.h"
#include "ProductOffers.h"
#include "ProductReader.h"
#include "ProductUpdate.h"
#include "batch/BatchPlan.h"
#include "batch/ListedWalk.h"
#include "batch/VariantPlan.h"

#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace supplierd::catalog {

namespace {

constexpr ProductUpdate STAMP_PRODUCT{.where = "supplier_id = ? AND deleted = 0 AND id = ?"};

constexpr std::string_view SET_PRIMARY_IMAGE = "UPDATE products SET primary_image = ? WHERE id = ?";

constexpr std::string_view SELECT_PRIMARY_IMAGES = R"(
SELECT id, supplier_id, deleted, primary_image FROM products FORCE INDEX (products_id) WHERE id > ?
ORDER BY id LIMIT ?)";

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
    if (count > Products::MAX_BATCH)
        throw std::length_error("more products than a batch may have");
}

} // namespace

Listed<ProductRecord> ProductsService::list(Database& database, const QueryParameters& query) {
    return listForOperators(database, query, _lists.images, _accounts);
}

std::optional<ProductRecord> ProductsService::find(SqlSession& session, std::int64_t productId) {
    return findProduct(session, _lists.images, _accounts, productId);
}

ProductCounts ProductsService::count(SqlSession& session, std::int64_t supplierId) {
    return countProducts(session, supplierId);
}

std::unique_ptr<ProductWalk> ProductsService::walk(Database& database, std::int64_t supplierId,
                                                   std::string_view rawQuery) {
    return ListedWalk::begin(database, _lists, supplierId, rawQuery);
}

std::vector<ProductOffer> ProductsService::offers(SqlSession& session, std::span<const ProductRef> products) {
    return readOffers(session, products);
}

std::vector<std::optional<ProductRef>> ProductsService::bySku(SqlSession& session, std::int64_t supplierId,
                                                              std::span<const std::string> skus) {
    return findBySku(session, supplierId, skus);
}

std::vector<BatchedProduct> ProductsService::upsert(Transaction& transaction, std::int64_t supplierId,
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

std::vector<BatchedProduct> ProductsService::dryRun(SqlSession& session, std::int64_t supplierId,
                                                    std::span<const JsonObject> products) {
    requireSize(products.size());
    std::vector<PlannedProduct> plan = BatchPlan(session, _categories, supplierId).make(products);
    for (PlannedProduct& planned : plan)
        planned.describe();
    return resultsOf(plan);
}

std::vector<BatchedProduct> ProductsService::upsertVariants(Transaction& transaction, std::int64_t supplierId,
                                                            std::span<const JsonObject> variants, const Actor& actor) {
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

std::vector<BatchedProduct> ProductsService::dryRunVariants(SqlSession& session, std::int64_t supplierId,
                                                            std::span<const JsonObject> variants) {
    requireSize(variants.size());
    VariantPlan planner(session, supplierId);
    std::vector<PlannedVariant> plan = planner.make(variants);
    planner.describe(plan);
    return resultsOf(plan);
}

void ProductsService::remove(Transaction& transaction, std::int64_t supplierId, std::int64_t productId,
                             const Actor& actor) {
    editor(supplierId, actor).remove(transaction, productId);
}

std::vector<ApprovalOutcome> ProductsService::approve(Transaction& transaction,
                                                      std::span<const std::int64_t> productIds, const Actor& actor) {
    return approveProducts(transaction, _audit, productIds, actor);
}

std::vector<ApprovalOutcome> ProductsService::reject(Transaction& transaction, std::span<const std::int64_t> productIds,
                                                     std::string_view reason, const Actor& actor) {
    return rejectProducts(transaction, _audit, productIds, reason, actor);
}

bool ProductsService::noteImages(Transaction& transaction, std::int64_t supplierId, std::int64_t productId) {
    static const std::string SQL = STAMP_PRODUCT.sql();
    Change& change = transaction.change(supplierId);
    if (transaction.execute(SQL, {change.seq(), supplierId, productId}) == 0)
        return false;
    change.note(ChangeKind::IMAGES_CHANGED, productId);
    return true;
}

void ProductsService::setPrimaryImage(Transaction& transaction, std::int64_t productId,
                                      const std::optional<std::string>& path) {
    transaction.execute(SET_PRIMARY_IMAGE, {path, productId});
}

std::vector<PrimaryImage> ProductsService::primaryImages(SqlSession& session, std::int64_t after, std::size_t limit) {
    std::vector<PrimaryImage> images;
    Rows& rows = session.query(SELECT_PRIMARY_IMAGES, {after, limit});
    while (rows.next())
        images.push_back({rows.integer(0), rows.integer(1), rows.boolean(2), rows.maybeText(3)});
    return images;
}

} // namespace supplierd::catalog
