#include "VariantWriter.h"

#include <algorithm>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view VARIANTS_OF_PRODUCT = R"(
FROM products p FORCE INDEX (PRIMARY) JOIN product_variants v ON v.product_id = p.id
WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?
ORDER BY v.id)";

constexpr std::string_view DELETE_VARIANT = "DELETE FROM product_variants WHERE id = ?";

} // namespace

VariantWriter::VariantWriter(SqlSession& session, std::int64_t supplierId, std::int64_t productId,
                             const std::vector<VariantInput>& inputs)
    : _session(session), _inputs(inputs) {
    if (productId == 0 || inputs.empty())
        return;
    static const std::string SQL = "SELECT v.id, " + sqlOfFields(VARIANT_FIELDS, "v.$").append(VARIANTS_OF_PRODUCT);
    Rows& rows = session.query(SQL, {supplierId, productId});
    while (rows.next())
        _stored.emplace(rows.integer(0), VariantValues::read(rows, 1));
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
    return current != _stored.end() && (input.remove || input.values.changes(variant::SKU, current->second));
}

void VariantWriter::collectSkus(std::vector<SkuClaim>& claims, std::set<std::int64_t>& released) const {
    for (const VariantInput& input : _inputs) {
        if (releasesSku(input))
            released.insert(*input.id);
        const std::int64_t unnamed = input.hasWrongId ? SkuClaim::UNKNOWN_VARIANT : SkuClaim::NEW_VARIANT;
        if (const std::string* sku = input.values.text(variant::SKU))
            claims.push_back({input.prefix + "sku", *sku, input.id.value_or(unnamed)});
    }
}

void VariantWriter::apply(std::int64_t productId, SkuRegister& skus) {
    // All that is given up first, so that variants can swap their SKUs.
    for (const VariantInput& input : _inputs)
        if (releasesSku(input) && !_stored.at(*input.id).isNull(variant::SKU))
            skus.release(*input.id);
    for (const VariantInput& input : _inputs) {
        if (input.remove) {
            _session.execute(DELETE_VARIANT, {*input.id});
            continue;
        }
        if (input.id)
            update(input);
        const std::int64_t id = input.id ? *input.id : insert(productId, input);
        if (const std::string* sku = input.values.text(variant::SKU);
            sku != nullptr && (!input.id || releasesSku(input)))
            skus.claim(productId, {input.prefix + "sku", *sku, id});
    }
}

void VariantWriter::describe(ProductChanges& changes) const {
    changes.variants(_stored, _inputs, _newIds);
}

std::int64_t VariantWriter::insert(std::int64_t productId, const VariantInput& input) {
    static const std::string SQL = "INSERT INTO product_variants (product_id, " + sqlOfFields(VARIANT_FIELDS, "$") +
                                   ") VALUES (?, " + sqlOfFields(VARIANT_FIELDS, "?") + ")";
    VariantValues values = input.values;
    std::vector<SqlParam> params{productId};
    for (std::size_t i = 0; i < VariantValues::SIZE; ++i) {
        if (values.isNull(i))
            values.set(i, defaultOf(VARIANT_FIELDS[i]));
        params.push_back(paramOf(values.at(i)));
    }
    _session.execute(SQL, params);
    return _newIds.emplace_back(_session.lastInsertId());
}

void VariantWriter::update(const VariantInput& input) {
    // One text whatever a request names: a column that it does not name keeps its value.
    static const std::string SQL =
        "UPDATE product_variants SET " + sqlOfFields(VARIANT_FIELDS, "$ = IF(?, ?, $)") + " WHERE id = ?";
    if (input.values.namesNone())
        return;
    std::vector<SqlParam> params;
    for (std::size_t i = 0; i < VariantValues::SIZE; ++i) {
        params.emplace_back(input.values.names(i));
        params.push_back(paramOf(input.values.at(i)));
    }
    params.emplace_back(*input.id);
    _session.execute(SQL, params);
}

} // namespace supplierd::catalog
