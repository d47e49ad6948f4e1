#include "stock/StockLedger.h"

#include "ProductUpdate.h"
#include "index/CatalogCache.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::catalog {

namespace {

constexpr ProductUpdate MOVE_PRODUCTS{.update = R"(UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
        product_id BIGINT PATH '$[0]', delta BIGINT PATH '$[1]', seq BIGINT PATH '$[2]')) t
    STRAIGHT_JOIN products FORCE INDEX (products_id) ON id = t.product_id)",
                                      .changeSeq = "t.seq",
                                      .set = "stock_qty = stock_qty + t.delta",
                                      .where = "deleted = 0 AND stock_qty + t.delta >= 0"};

constexpr std::string_view MOVE_VARIANTS = R"(
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
        id BIGINT PATH '$[0]', product_id BIGINT PATH '$[1]', delta BIGINT PATH '$[2]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.product_id
    STRAIGHT_JOIN product_variants v FORCE INDEX (PRIMARY) ON v.id = t.id AND v.product_id = p.id
SET v.stock_qty = v.stock_qty + t.delta
WHERE p.deleted = 0 AND v.stock_qty + t.delta >= 0)";

constexpr std::string_view SELECT_PRESENT_VARIANTS = R"(
SELECT STRAIGHT_JOIN v.id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    JOIN product_variants v FORCE INDEX (PRIMARY) ON v.id = t.id)";

std::vector<std::int64_t> idsOfChanged(const std::vector<ChangedNumbers>& products) {
    std::vector<std::int64_t> ids;
    for (const ChangedNumbers& product : products)
        ids.push_back(product.id);
    return ids;
}

void requireAll(std::int64_t changed, std::size_t wanted) {
    if (changed != static_cast<std::int64_t>(wanted))
        throw std::runtime_error("stock was changed without the lock of its catalog: " + std::to_string(changed) +
                                 " rows of " + std::to_string(wanted) + " are as they were read");
}

} // namespace

void StockLedger::add(const StockMove& move, std::int64_t delta) {
    // A change of a variant is one of its product too: it is stamped, whatever its own stock.
    ProductChange& product = _products[move.productId];
    product.supplierId = move.supplierId;
    if (!move.variantId) {
        product.delta += delta;
        product.isItself = true;
        return;
    }
    VariantChange& variant = _variants[*move.variantId];
    variant.productId = move.productId;
    variant.delta += delta;
}

void StockLedger::apply(Transaction& transaction, CatalogCache* indexes) const {
    requireAll(changeVariants(transaction), _variants.size());
    requireAll(changeProducts(transaction, indexes), _products.size());
}

void StockLedger::applyToWhatIsLeft(Transaction& transaction, CatalogCache* indexes) {
    if (changeVariants(transaction) != static_cast<std::int64_t>(_variants.size()))
        forgetLostVariants(transaction);
    changeProducts(transaction, indexes);
}

std::int64_t StockLedger::changeVariants(Transaction& transaction) const {
    if (_variants.empty())
        return 0;
    std::string changes;
    JsonWriter json(changes);
    json.beginArray();
    for (const auto& [id, change] : _variants)
        json.beginArray().value(id).value(change.productId).value(change.delta).endArray();
    json.endArray();
    return transaction.execute(MOVE_VARIANTS, {changes});
}

std::int64_t StockLedger::changeProducts(Transaction& transaction, CatalogCache* indexes) const {
    static const std::string SQL = MOVE_PRODUCTS.sql();
    if (_products.empty())
        return 0;
    std::map<std::int64_t, std::vector<ChangedNumbers>> bySupplier;
    for (const auto& [id, change] : _products)
        bySupplier[change.supplierId].push_back({.id = id, .addedStock = change.delta});
    std::string changes;
    JsonWriter json(changes);
    json.beginArray();
    for (const auto& [supplierId, products] : bySupplier) {
        const std::int64_t seq = transaction.change(supplierId).seq();
        for (const ChangedNumbers& product : products)
            json.beginArray().value(product.id).value(product.addedStock).value(seq).endArray();
    }
    json.endArray();
    const std::int64_t changed = transaction.execute(SQL, {changes});
    const bool areAll = changed == static_cast<std::int64_t>(_products.size());
    for (auto& [supplierId, products] : bySupplier) {
        Change& change = transaction.change(supplierId);
        if (areAll && indexes != nullptr)
            indexes->note(transaction, change, supplierId, ChangeKind::STOCK_CHANGED, std::move(products));
        else
            change.note(ChangeKind::STOCK_CHANGED, idsOfChanged(products));
    }
    return changed;
}

/// A product of which nothing is left to put back is not changed.
void StockLedger::forgetLostVariants(SqlSession& session) {
    std::string ids;
    JsonWriter json(ids);
    json.beginArray();
    for (const auto& [id, change] : _variants)
        json.value(id);
    json.endArray();
    std::set<std::int64_t> changed;
    Rows& rows = session.query(SELECT_PRESENT_VARIANTS, {ids});
    while (rows.next())
        changed.insert(_variants.at(rows.integer(0)).productId);
    std::erase_if(_products,
                  [&](const auto& entry) { return !entry.second.isItself && !changed.contains(entry.first); });
}

} // namespace supplierd::catalog
