#include "VariantWriter.h"

#include <algorithm>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_VARIANTS = R"(
SELECT v.id, v.sku, v.name, v.color, v.stem_length, v.base_price, v.stock_qty, v.is_active
FROM products p FORCE INDEX (PRIMARY) JOIN product_variants v ON v.product_id = p.id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?
ORDER BY v.id)";

constexpr std::string_view INSERT_VARIANT = R"(
INSERT INTO product_variants (product_id, sku, name, color, stem_length, base_price, stock_qty, is_active)
VALUES (?, ?, ?, ?, ?, ?, ?, ?))";

constexpr std::string_view DELETE_VARIANT = "DELETE FROM product_variants WHERE id = ?";

// One text whatever a request names: a column that it does not name keeps its value.
constexpr std::string_view UPDATE_VARIANT = R"(
UPDATE product_variants
SET sku = IF(?, ?, sku), name = IF(?, ?, name), color = IF(?, ?, color), stem_length = IF(?, ?, stem_length),
    base_price = IF(?, ?, base_price), stock_qty = IF(?, ?, stock_qty), is_active = IF(?, ?, is_active)
WHERE id = ?)";

} // namespace

VariantWriter::VariantWriter(SqlSession& session, std::int64_t supplierId, std::int64_t productId,
                             const std::vector<VariantInput>& inputs)
    : _session(session), _inputs(inputs) {
    if (productId == 0 || inputs.empty())
        return;
    Rows& rows = session.query(SELECT_VARIANTS, {supplierId, productId});
    while (rows.next())
        _stored.emplace(rows.integer(0), StoredVariant::read(rows, 1));
}

void VariantWriter::findProblems(Details& details) const {
    std::size_t count = _stored.size();
    for (const VariantInput& input : _inputs) {
        if (input.id && !_stored.contains(*input.id))
            details.add(input.prefix + "id", "unknown_reference", input.prefix + "id is not a variant of this product");
        else if (input.remove && count > 0)
            --count;
        else if (!input.id && !input.hasWrongId)
            ++count;
    }
    if (count > MAX_VARIANTS)
        details.add("variants", "too_many", "a product has at most 100 variants");
}

bool VariantWriter::releasesSku(const VariantInput& input) const {
    if (!input.id)
        return false;
    const auto current = _stored.find(*input.id);
    return current != _stored.end() && (input.remove || (input.sku.present && input.sku.value != current->second.sku));
}

void VariantWriter::collectSkus(std::vector<SkuClaim>& claims, std::set<std::int64_t>& released) const {
    for (const VariantInput& input : _inputs) {
        if (releasesSku(input))
            released.insert(*input.id);
        const std::int64_t unnamed = input.hasWrongId ? SkuClaim::UNKNOWN_VARIANT : SkuClaim::NEW_VARIANT;
        if (input.sku.hasValue())
            claims.push_back({input.prefix + "sku", *input.sku.value, input.id.value_or(unnamed)});
    }
}

void VariantWriter::apply(std::int64_t productId, SkuRegister& skus) {
    // All that is given up first, so that variants can swap their SKUs.
    for (const VariantInput& input : _inputs)
        if (releasesSku(input) && _stored.at(*input.id).sku)
            skus.release(*input.id);
    for (const VariantInput& input : _inputs) {
        if (input.remove) {
            _session.execute(DELETE_VARIANT, {*input.id});
            continue;
        }
        if (input.id)
            update(input);
        const std::int64_t id = input.id ? *input.id : insert(productId, input);
        if (input.sku.hasValue() && (!input.id || releasesSku(input)))
            skus.claim(productId, {input.prefix + "sku", *input.sku.value, id});
    }
}

void VariantWriter::describe(ProductChanges& changes) const {
    changes.variants(_stored, _inputs, _newIds);
}

std::int64_t VariantWriter::insert(std::int64_t productId, const VariantInput& input) {
    _session.execute(INSERT_VARIANT,
                     {productId, input.sku.value, input.name.value, input.color.value, input.stemLength.value,
                      input.basePrice.value, input.stockQty.valueOr(0), input.isActive.valueOr(true)});
    return _newIds.emplace_back(_session.lastInsertId());
}

void VariantWriter::update(const VariantInput& input) {
    std::vector<SqlParam> params;
    params.reserve(15);
    bool isEmpty = true;
    const auto append = [&](const auto& field) {
        params.emplace_back(field.present);
        params.emplace_back(field.value);
        isEmpty = isEmpty && !field.present;
    };
    append(input.sku);
    append(input.name);
    append(input.color);
    append(input.stemLength);
    append(input.basePrice);
    append(input.stockQty);
    append(input.isActive);
    if (isEmpty)
        return;
    params.emplace_back(*input.id);
    _session.execute(UPDATE_VARIANT, params);
}

} // namespace supplierd::catalog
