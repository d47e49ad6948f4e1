#include "SkuRegister.h"

#include <string_view>

namespace supplierd::catalog {

namespace {

// `place` counts the claims, `first` is the earliest claim of the same SKU as the collation sees it.
constexpr std::string_view SELECT_HOLDERS = R"(
SELECT n.place, MIN(n.place) OVER (PARTITION BY n.sku) AS first, k.product_id, k.variant_id
FROM (SELECT 0 AS place, CAST(? AS CHAR(64)) COLLATE utf8mb4_unicode_520_ci AS sku)";

constexpr std::string_view ONE_MORE = R"(
    UNION ALL SELECT ?, CAST(? AS CHAR(64)) COLLATE utf8mb4_unicode_520_ci)";

constexpr std::string_view JOIN_HOLDERS = R"() n
LEFT JOIN product_skus k ON k.supplier_id = ? AND k.sku = n.sku
ORDER BY n.place)";

constexpr std::string_view RELEASE = "DELETE FROM product_skus WHERE product_id = ? AND variant_id = ?";

constexpr std::string_view CLAIM =
    "INSERT INTO product_skus (supplier_id, sku, product_id, variant_id) VALUES (?, ?, ?, ?)";

constexpr std::string_view SELECT_HOLDER = "SELECT product_id FROM product_skus WHERE supplier_id = ? AND sku = ?";

Detail duplicateOf(const SkuClaim& claim, std::int64_t holder) {
    return {claim.field, "duplicate", claim.field + " is already used by product " + std::to_string(holder), holder};
}

} // namespace

void SkuRegister::findDuplicates(const std::vector<SkuClaim>& claims, const std::set<std::int64_t>& released,
                                 Details& details) {
    if (claims.empty())
        return;
    // Padded to a power of two with the last claim, so that few statements serve any number of them.
    std::size_t slots = 1;
    while (slots < claims.size())
        slots *= 2;
    std::string sql(SELECT_HOLDERS);
    std::vector<SqlParam> params{claims.front().sku};
    for (std::size_t i = 1; i < slots; ++i) {
        sql += ONE_MORE;
        params.emplace_back(i);
        params.emplace_back(i < claims.size() ? claims[i].sku : claims.back().sku);
    }
    sql += JOIN_HOLDERS;
    params.emplace_back(_supplierId);

    Rows& rows = _session.query(sql, params);
    while (rows.next()) {
        const auto place = static_cast<std::size_t>(rows.integer(0));
        const auto first = static_cast<std::size_t>(rows.integer(1));
        if (place >= claims.size())
            continue;
        const SkuClaim& claim = claims[place];
        const std::int64_t holder = rows.integer(2);
        const bool ours = _productId != 0 && holder == _productId;
        const bool free =
            rows.isNull(2) || (ours && (rows.integer(3) == claim.variantId || released.contains(rows.integer(3))));
        if (!free)
            details.add(duplicateOf(claim, holder));
        else if (first != place)
            details.add(claim.field, "duplicate", claim.field + " is the same as " + claims[first].field);
    }
}

void SkuRegister::release(std::int64_t variantId) {
    _session.execute(RELEASE, {_productId, variantId});
}

void SkuRegister::claim(std::int64_t productId, const SkuClaim& claim) {
    try {
        _session.execute(CLAIM, {_supplierId, claim.sku, productId, claim.variantId});
    } catch (const DatabaseError& error) {
        if (!error.isDuplicateKey())
            throw;
        Rows& rows = _session.query(SELECT_HOLDER, {_supplierId, claim.sku});
        const std::int64_t holder = rows.next() ? rows.integer(0) : productId;
        throw ApiError::validation({duplicateOf(claim, holder)});
    }
}

} // namespace supplierd::catalog
