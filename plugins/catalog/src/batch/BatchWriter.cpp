#include "batch/BatchWriter.h"

#include "ProductUpdate.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::catalog {

namespace {

using Outcome = BatchedProduct::Outcome;

// Behind JSON_TABLE: the rows of writeRow().
constexpr std::string_view BATCH_ROWS = R"((?, '$[*]' COLUMNS (
    id BIGINT PATH '$[0]', named BIGINT PATH '$[1]',
    name VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[2]', category_id BIGINT PATH '$[3]',
    base_price DECIMAL(12,4) PATH '$[4]', unit BIGINT PATH '$[5]', type BIGINT PATH '$[6]',
    description TEXT CHARACTER SET utf8mb4 PATH '$[7]', sku VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[8]',
    stock_qty BIGINT PATH '$[9]', min_order_qty BIGINT PATH '$[10]',
    color VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[11]', stem_length BIGINT PATH '$[12]',
    country_of_origin VARCHAR(64) CHARACTER SET utf8mb4 PATH '$[13]', vat_rate DECIMAL(7,4) PATH '$[14]',
    is_active BIGINT PATH '$[15]')) t)";

constexpr std::string_view INSERT_BATCH = R"(
INSERT INTO products (supplier_id, name, category_id, base_price, unit, type, description, sku, stock_qty,
    min_order_qty, color, stem_length, country_of_origin, vat_rate, is_active, is_of_sandbox,
    change_seq, version)
SELECT ?, t.name, t.category_id, t.base_price, t.unit, t.type, t.description, t.sku, t.stock_qty,
    t.min_order_qty, t.color, t.stem_length, t.country_of_origin, t.vat_rate, t.is_active, ?, ?, ?
FROM JSON_TABLE)";

// The lock of the catalogue is held: all that this supplier has from there on was made just now.
constexpr std::string_view SELECT_INSERTED = R"(
SELECT id, sku FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ? AND deleted = 0 AND id >= ?)";

constexpr std::string_view CLAIM_SKUS = R"(
INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id)
SELECT ?, t.sku_key, t.sku, t.id, 0
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT PATH '$[0]',
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    sku VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) t)";

// A column that a product does not name keeps its value; `named` has a bit for each, in their order. The join's order
// is that in which it stands, through the primary key.
constexpr std::string_view SET_NAMED = R"(
    products.name = IF(t.named & 1, t.name, products.name),
    products.category_id = IF(t.named & 2, t.category_id, products.category_id),
    products.base_price = IF(t.named & 4, t.base_price, products.base_price),
    products.unit = IF(t.named & 8, t.unit, products.unit),
    products.type = IF(t.named & 16, t.type, products.type),
    products.description = IF(t.named & 32, t.description, products.description),
    products.stock_qty = IF(t.named & 128, t.stock_qty, products.stock_qty),
    products.min_order_qty = IF(t.named & 256, t.min_order_qty, products.min_order_qty),
    products.color = IF(t.named & 512, t.color, products.color),
    products.stem_length = IF(t.named & 1024, t.stem_length, products.stem_length),
    products.country_of_origin = IF(t.named & 2048, t.country_of_origin, products.country_of_origin),
    products.vat_rate = IF(t.named & 4096, t.vat_rate, products.vat_rate),
    products.is_active = IF(t.named & 8192, t.is_active, products.is_active))";

/// As a text, which every server reads exactly.
void writeCell(JsonWriter& json, const std::optional<Decimal>& value) {
    if (value)
        json.value(value->toString());
    else
        json.null();
}
void writeCell(JsonWriter& json, const std::optional<bool>& value) {
    json.value(value.value_or(true) ? 1 : 0);
}
template <class T>
void writeCell(JsonWriter& json, const std::optional<T>& value) {
    json.value(value);
}

/// The id, which fields are named, and the fields, in the order of StoredProduct.
void writeRow(JsonWriter& json, const PlannedProduct& product) {
    const ProductInput& input = product.input;
    const auto visit = [&input](const auto& each) {
        each(input.name);
        each(input.categoryId);
        each(input.basePrice);
        each(input.unit);
        each(input.type);
        each(input.description);
        each(input.sku);
        each(input.stockQty);
        each(input.minOrderQty);
        each(input.color);
        each(input.stemLength);
        each(input.countryOfOrigin);
        each(input.vatRate);
        each(input.isActive);
    };
    std::int64_t named = 0;
    std::int64_t bit = 1;
    visit([&](const auto& field) {
        named |= field.present ? bit : 0;
        bit *= 2;
    });
    json.beginArray().value(product.result.productId).value(named);
    visit([&json](const auto& field) { writeCell(json, field.value); });
    json.endArray();
}

std::string batchRowsOf(const std::vector<PlannedProduct*>& products) {
    std::string text;
    text.reserve(products.size() * 160);
    JsonWriter json(text);
    json.beginArray();
    for (const PlannedProduct* product : products)
        writeRow(json, *product);
    json.endArray();
    return text;
}

} // namespace

void BatchWriter::write(std::vector<PlannedProduct>& plan) {
    Planned created;
    Planned updated;
    for (PlannedProduct& product : plan) {
        if (product.result.outcome == Outcome::Created)
            created.push_back(&product);
        else if (product.result.outcome == Outcome::Updated)
            updated.push_back(&product);
    }
    Change& change = _transaction.change(_supplierId);
    if (!created.empty())
        create(created, change);
    if (!updated.empty())
        update(updated, change);
    record(created, updated);
}

void BatchWriter::create(const Planned& products, Change& change) {
    static const std::string SQL = std::string(INSERT_BATCH).append(BATCH_ROWS);
    const bool areOfSandbox = _sandboxes.contains(_transaction, _supplierId);
    _transaction.execute(SQL,
                         {_supplierId, areOfSandbox, change.seq(), firstVersion(change.seq()), batchRowsOf(products)});
    std::map<std::string, std::int64_t> ids;
    Rows& rows = _transaction.query(SELECT_INSERTED, {_supplierId, _transaction.lastInsertId()});
    while (rows.next())
        ids.emplace(rows.text(1), rows.integer(0));
    std::vector<std::int64_t> created;
    for (PlannedProduct* const product : products) {
        const auto id = ids.find(product->input.sku.value.value());
        if (id == ids.end())
            throw std::logic_error("a product that was created is not there");
        product->result.productId = id->second;
        created.push_back(id->second);
    }
    claimSkus(products);
    change.note(ChangeKind::PRODUCT_CREATED, created);
}

void BatchWriter::claimSkus(const Planned& products) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const PlannedProduct* product : products)
        json.beginArray()
            .value(product->result.productId)
            .value(product->skuKey)
            .value(*product->input.sku.value)
            .endArray();
    json.endArray();
    _transaction.execute(CLAIM_SKUS, {_supplierId, text});
}

void BatchWriter::update(const Planned& products, Change& change) {
    static const std::string UPDATE =
        std::string("UPDATE JSON_TABLE").append(BATCH_ROWS).append(" STRAIGHT_JOIN products FORCE INDEX (PRIMARY)");
    static const std::string SQL =
        ProductUpdate{.update = UPDATE,
                      .set = SET_NAMED,
                      .where = "products.supplier_id = ? AND products.deleted = 0 AND products.id = t.id"}
            .sql();
    _transaction.execute(SQL, {batchRowsOf(products), change.seq(), versionFloor(change.seq()), _supplierId});
    note(products, change);
}

void BatchWriter::note(const Planned& updated, Change& change) const {
    std::vector<std::int64_t> all;
    std::vector<std::int64_t> stocks;
    std::vector<std::int64_t> prices;
    for (const PlannedProduct* product : updated) {
        const std::int64_t id = product->result.productId;
        all.push_back(id);
        if (product->input.stockQty.valueOr(product->stored.stockQty) != product->stored.stockQty)
            stocks.push_back(id);
        if (product->input.basePrice.valueOr(product->stored.basePrice) != product->stored.basePrice)
            prices.push_back(id);
    }
    change.note(ChangeKind::PRODUCT_UPDATED, all);
    if (!stocks.empty())
        change.note(ChangeKind::STOCK_CHANGED, stocks);
    if (!prices.empty())
        change.note(ChangeKind::PRICE_CHANGED, prices);
}

void BatchWriter::record(const Planned& created, const Planned& updated) {
    std::vector<AuditEntry> entries;
    for (const PlannedProduct* product : created) {
        ProductChanges changes;
        changes.created(product->input);
        entries.push_back(auditEntry(_actor, "product", "create", product->result.productId, _supplierId));
        changes.complete(entries.back());
    }
    for (const PlannedProduct* product : updated) {
        ProductChanges changes;
        changes.changed(product->stored, product->input);
        entries.push_back(auditEntry(_actor, "product", "update", product->result.productId, _supplierId));
        changes.complete(entries.back());
    }
    _audit.recordAll(_transaction, entries);
}

} // namespace supplierd::catalog
