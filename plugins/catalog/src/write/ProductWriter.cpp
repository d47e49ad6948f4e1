#include "ProductWriter.h"

#include "ProductChanges.h"
#include "ProductUpdate.h"
#include "SkuRegister.h"
#include "VariantWriter.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view INSERT = "INSERT INTO products (supplier_id, is_of_sandbox, change_seq, version, ";

// The lock of the catalog is held: all that this supplier has from there on was made just now.
constexpr std::string_view SELECT_INSERTED = R"(
SELECT id, sku FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ? AND deleted = 0 AND id >= ?)";

constexpr std::string_view CLAIM_SKUS = R"(
INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id)
SELECT ?, t.sku_key, t.sku, t.id, 0
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT PATH '$[0]',
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
    sku VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) t)";

/// Of many products: behind JSON_TABLE, the rows of writeRow().
std::string rowsOfMany() {
    std::string sql = "(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', named BIGINT PATH '$[1]'";
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        sql.append(", ")
            .append(PRODUCT_FIELDS[i].name)
            .append(" ")
            .append(PRODUCT_FIELDS[i].sqlType)
            .append(" PATH '$[")
            .append(std::to_string(i + 2))
            .append("]'");
    return sql + ")) t";
}

/// A column that a product does not name keeps its value; `named` has a bit for each field, in their order.
std::string setNamedOfMany() {
    std::string sql;
    std::int64_t bit = 1;
    for (const RecordField& field : PRODUCT_FIELDS) {
        const std::string column = "products." + std::string(field.name);
        sql.append(sql.empty() ? "" : ", ").append(column).append(" = IF(t.named & ").append(std::to_string(bit));
        sql.append(", t.").append(field.name).append(", ").append(column).append(")");
        bit *= 2;
    }
    return sql;
}

/// The id, which fields are named, and the fields. A decimal is a text, which every server reads exactly.
void writeRow(JsonWriter& json, const ProductWrite& product) {
    const ProductValues& values = product.input.values;
    std::int64_t named = 0;
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        named |= values.names(i) ? std::int64_t{1} << i : 0;
    json.beginArray().value(product.id).value(named);
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i) {
        const FieldValue& value = values.at(i);
        if (const auto* integer = std::get_if<std::int64_t>(&value))
            json.value(*integer);
        else if (const auto* text = std::get_if<std::string>(&value))
            json.value(*text);
        else if (const auto* decimal = std::get_if<Decimal>(&value))
            json.value(decimal->toString());
        else
            json.null();
    }
    json.endArray();
}

std::string rowsOf(const std::vector<ProductWrite*>& products) {
    std::string text;
    text.reserve(products.size() * 160);
    JsonWriter json(text);
    json.beginArray();
    for (const ProductWrite* product : products)
        writeRow(json, *product);
    json.endArray();
    return text;
}

bool namesInVariants(const ProductInput& input, std::size_t field) {
    return std::any_of(input.variants.begin(), input.variants.end(),
                       [&](const VariantInput& one) { return one.remove || one.values.names(field); });
}

} // namespace

void ProductWriter::write(std::span<ProductWrite* const> products) {
    Products created;
    Products updated;
    for (ProductWrite* const product : products)
        (product->id == 0 ? created : updated).push_back(product);
    Change& change = _transaction.change(_supplierId);
    if (!created.empty())
        create(created, change);
    if (!updated.empty())
        update(updated, change);
    std::vector<AuditEntry> entries;
    for (ProductWrite* const product : created)
        entries.push_back(complete(*product, true));
    for (ProductWrite* const product : updated)
        entries.push_back(complete(*product, false));
    std::erase_if(entries, [](const AuditEntry& entry) { return entry.before.empty() && entry.after.empty(); });
    if (!entries.empty())
        _dependencies.audit.recordAll(_transaction, entries);
}

void ProductWriter::create(const Products& products, Change& change) {
    const bool areOfSandbox = _dependencies.sandboxes.contains(_transaction, _supplierId);
    if (products.size() == 1)
        insertOne(*products.front(), change.seq(), areOfSandbox);
    else
        insertAll(products, change.seq(), areOfSandbox);
    std::vector<std::int64_t> ids;
    for (const ProductWrite* product : products)
        ids.push_back(product->id);
    change.note(ChangeKind::PRODUCT_CREATED, ids);
}

void ProductWriter::insertOne(ProductWrite& product, std::int64_t seq, bool isOfSandbox) {
    static const std::string SQL = std::string(INSERT)
                                       .append(sqlOfFields(PRODUCT_FIELDS, "$"))
                                       .append(") VALUES (?, ?, ?, ?, ")
                                       .append(sqlOfFields(PRODUCT_FIELDS, "?"))
                                       .append(")");
    const ProductValues& values = product.input.values;
    std::vector<SqlParam> params{_supplierId, isOfSandbox, seq, firstVersion(seq)};
    params.reserve(params.size() + PRODUCT_FIELDS.size());
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        params.push_back(paramOf(values.at(i)));
    _transaction.execute(SQL, params);
    product.id = _transaction.lastInsertId();
    if (const auto* sku = values.text(field::SKU))
        SkuRegister(_transaction, _supplierId, 0).claim(product.id, {"sku", *sku});
}

void ProductWriter::insertAll(const Products& products, std::int64_t seq, bool areOfSandbox) {
    static const std::string SQL = std::string(INSERT)
                                       .append(sqlOfFields(PRODUCT_FIELDS, "$"))
                                       .append(") SELECT ?, ?, ?, ?, ")
                                       .append(sqlOfFields(PRODUCT_FIELDS, "t.$"))
                                       .append(" FROM JSON_TABLE")
                                       .append(rowsOfMany());
    _transaction.execute(SQL, {_supplierId, areOfSandbox, seq, firstVersion(seq), rowsOf(products)});
    std::map<std::string, std::int64_t, std::less<>> ids;
    Rows& rows = _transaction.query(SELECT_INSERTED, {_supplierId, _transaction.lastInsertId()});
    while (rows.next())
        ids.emplace(rows.text(1), rows.integer(0));
    for (ProductWrite* const product : products) {
        const auto* sku = product->input.values.text(field::SKU);
        const auto id = sku == nullptr ? ids.end() : ids.find(*sku);
        if (id == ids.end())
            throw std::logic_error("a product that was created is not there");
        product->id = id->second;
    }
    claimSkus(products);
}

void ProductWriter::claimSkus(const Products& products) {
    std::string text;
    JsonWriter json(text);
    json.beginArray();
    for (const ProductWrite* product : products) {
        const std::string& sku = *product->input.values.text(field::SKU);
        json.beginArray().value(product->id).value(skuKey(sku)).value(sku).endArray();
    }
    json.endArray();
    _transaction.execute(CLAIM_SKUS, {_supplierId, text});
}

void ProductWriter::update(const Products& products, Change& change) {
    if (products.size() == 1)
        updateOne(*products.front(), change.seq());
    else
        updateAll(products, change.seq());
    note(products, change);
}

/// Ten times as quick as the statement for many. One text whatever a product names: a column that it does not name
/// keeps its value, and each assignment looks at its own column only, so their order does not matter.
void ProductWriter::updateOne(const ProductWrite& product, std::int64_t seq) {
    static const std::string SET = sqlOfFields(PRODUCT_FIELDS, "$ = IF(?, ?, $)");
    static const std::string SQL =
        ProductUpdate{.set = SET, .where = "supplier_id = ? AND deleted = 0 AND id = ?"}.sql();
    std::vector<SqlParam> params{seq};
    params.reserve(3 + 2 * PRODUCT_FIELDS.size());
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i) {
        params.emplace_back(product.input.values.names(i));
        params.push_back(paramOf(product.input.values.at(i)));
    }
    params.emplace_back(_supplierId);
    params.emplace_back(product.id);
    _transaction.execute(SQL, params);
}

/// The join's order is that in which it stands, through the primary key.
void ProductWriter::updateAll(const Products& products, std::int64_t seq) {
    static const std::string UPDATE =
        "UPDATE JSON_TABLE" + rowsOfMany() + " STRAIGHT_JOIN products FORCE INDEX (PRIMARY)";
    static const std::string SET = setNamedOfMany();
    static const std::string SQL =
        ProductUpdate{.update = UPDATE,
                      .set = SET,
                      .where = "products.supplier_id = ? AND products.deleted = 0 AND products.id = t.id"}
            .sql();
    _transaction.execute(SQL, {rowsOf(products), seq, versionFloor(seq), _supplierId});
}

/// What an update is for those who follow stocks, prices or images.
void ProductWriter::note(const Products& updated, Change& change) {
    std::map<std::string_view, std::vector<std::int64_t>> ids;
    for (const ProductWrite* product : updated) {
        const ProductInput& input = product->input;
        ids[ChangeKind::PRODUCT_UPDATED].push_back(product->id);
        if (input.values.changes(field::STOCK_QTY, product->stored) || namesInVariants(input, variant::STOCK_QTY))
            ids[ChangeKind::STOCK_CHANGED].push_back(product->id);
        if (input.values.changes(field::BASE_PRICE, product->stored) || namesInVariants(input, variant::BASE_PRICE))
            ids[ChangeKind::PRICE_CHANGED].push_back(product->id);
        if (!input.imageUrls.empty())
            ids[ChangeKind::IMAGES_CHANGED].push_back(product->id);
    }
    for (const auto& [kind, products] : ids)
        change.note(kind, products);
}

AuditEntry ProductWriter::complete(ProductWrite& product, bool isNew) {
    const ProductInput& input = product.input;
    SkuRegister skus(_transaction, _supplierId, isNew ? 0 : product.id);
    const bool hasOtherSku = !isNew && input.values.changes(field::SKU, product.stored);
    if (hasOtherSku && !product.stored.isNull(field::SKU))
        skus.release(SkuClaim::PRODUCT);
    VariantWriter variants(_transaction, _supplierId, isNew ? 0 : product.id, input.variants);
    variants.apply(product.id, skus);
    if (const auto* sku = input.values.text(field::SKU); sku != nullptr && hasOtherSku)
        skus.claim(product.id, {"sku", *sku});
    ProductChanges changes;
    if (isNew)
        changes.created(input);
    else
        changes.changed(product.stored, input);
    variants.describe(changes);
    if (product.images != nullptr && product.images->count() > 0) {
        const std::vector<ProductImage> before = _dependencies.images->imagesOf(_transaction, product.id);
        product.images->addTo(_transaction, product.id);
        changes.images(before, _dependencies.images->imagesOf(_transaction, product.id));
    }
    AuditEntry entry = auditEntry(_actor, "product", isNew ? "create" : "update", product.id, _supplierId);
    changes.complete(entry);
    return entry;
}

} // namespace supplierd::catalog
