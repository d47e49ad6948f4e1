#include "PendingSkus.h"

#include <supplierd/Sku.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_PENDING = R"(
SELECT t.product_id, t.variant_id, p.supplier_id, p.deleted, p.sku, v.sku
FROM skus_without_key t
    LEFT JOIN products p FORCE INDEX (products_id) ON p.id = t.product_id
    LEFT JOIN product_variants v ON v.id = t.variant_id AND v.product_id = t.product_id
ORDER BY t.product_id, t.variant_id
LIMIT 200
FOR UPDATE)";

constexpr std::string_view INSERT_SKU = R"(
INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id, tombstone) VALUES (?, ?, ?, ?, ?, ?))";

constexpr std::string_view SELECT_HOLDER =
    "SELECT product_id, variant_id FROM product_skus WHERE supplier_id = ? AND sku_key = ? AND tombstone = 0";

constexpr std::string_view DELETE_PENDING = "DELETE FROM skus_without_key WHERE product_id = ? AND variant_id = ?";

struct PendingSku {
    std::int64_t productId = 0;
    std::int64_t variantId = 0;
    std::int64_t supplierId = 0;
    bool deleted = false;
    std::optional<std::string> sku; ///< none: given up since
};

std::vector<PendingSku> readPending(SqlSession& session) {
    std::vector<PendingSku> pending;
    Rows& rows = session.query(SELECT_PENDING);
    while (rows.next()) {
        PendingSku& sku = pending.emplace_back();
        sku.productId = rows.integer(0);
        sku.variantId = rows.integer(1);
        sku.supplierId = rows.integer(2);
        sku.deleted = rows.boolean(3);
        sku.sku = rows.maybeText(sku.variantId == 0 ? 4 : 5);
    }
    return pending;
}

/// The product that has the SKU already, if it is another owner's.
std::optional<std::int64_t> giveKey(SqlSession& session, const PendingSku& pending) {
    const std::string key = skuKey(*pending.sku);
    try {
        session.execute(INSERT_SKU, {pending.supplierId, key, *pending.sku, pending.productId, pending.variantId,
                                     pending.deleted ? pending.productId : 0});
        return std::nullopt;
    } catch (const DatabaseError& error) {
        if (!error.isDuplicateKey())
            throw;
    }
    Rows& holder = session.query(SELECT_HOLDER, {pending.supplierId, key});
    const bool isOwn =
        !holder.next() || (holder.integer(0) == pending.productId && holder.integer(1) == pending.variantId);
    return isOwn ? std::nullopt : std::optional(holder.integer(0));
}

} // namespace

void giveKeysToPendingSkus(Database& database, Logger& log) {
    bool isDone = false;
    while (!isDone) {
        std::vector<std::pair<std::int64_t, std::int64_t>> refused;
        database.withTransaction([&](Transaction& transaction) {
            refused.clear();
            const std::vector<PendingSku> batch = readPending(transaction);
            isDone = batch.empty();
            for (const PendingSku& pending : batch) {
                const auto holder = pending.sku ? giveKey(transaction, pending) : std::nullopt;
                if (holder)
                    refused.emplace_back(pending.productId, *holder);
                transaction.execute(DELETE_PENDING, {pending.productId, pending.variantId});
            }
        });
        for (const auto& [product, holder] : refused)
            log.warning("a SKU is the same as another one of its supplier and names nothing any more",
                        {{"product_id", product}, {"sku_of_product", holder}});
    }
}

} // namespace supplierd::catalog
