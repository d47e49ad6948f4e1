#include "SkuRegister.h"

#include <supplierd/Sku.h>

#include <map>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_HOLDERS = R"(
SELECT sku_key, product_id, variant_id
FROM product_skus FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND tombstone = 0 AND sku_key IN (?)";

constexpr std::string_view RELEASE = "DELETE FROM product_skus WHERE product_id = ? AND variant_id = ?";

constexpr std::string_view CLAIM =
    "INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, variant_id) VALUES (?, ?, ?, ?, ?)";

constexpr std::string_view GIVE_UP = "UPDATE product_skus SET tombstone = product_id WHERE product_id = ?";

constexpr std::string_view SELECT_HOLDER_OF_KEY =
    "SELECT product_id FROM product_skus WHERE supplier_id = ? AND sku_key = ? AND tombstone = 0";

Detail duplicateOf(const SkuClaim& claim, std::int64_t holder) {
    const std::string id = std::to_string(holder);
    return {.field = claim.field,
            .code = "duplicate",
            .message = claim.field + " is already used by product " + id,
            .errorMembers = {{"existing_product_id", id}}};
}

} // namespace

void SkuRegister::findDuplicates(const std::vector<SkuClaim>& claims, const std::set<std::int64_t>& released,
                                 Details& details) {
    if (claims.empty())
        return;
    std::vector<std::string> keys;
    keys.reserve(claims.size());
    for (const SkuClaim& claim : claims)
        keys.push_back(skuKey(claim.sku));
    const std::map<std::string, Holder> holders = holdersOf(keys);

    std::map<std::string_view, const SkuClaim*> claimed;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const SkuClaim& claim = claims[i];
        const auto holder = holders.find(keys[i]);
        const auto [earlier, isFirst] = claimed.emplace(keys[i], &claim);
        if (holder != holders.end() && !isFree(claim, holder->second, released))
            details.add(duplicateOf(claim, holder->second.productId));
        else if (!isFirst)
            details.add(claim.field, "duplicate", claim.field + " is the same as " + earlier->second->field);
    }
}

/// Padded to a power of two with the last key, so that few statements serve any number of them.
std::map<std::string, SkuRegister::Holder> SkuRegister::holdersOf(const std::vector<std::string>& keys) {
    std::string sql(SELECT_HOLDERS);
    std::vector<SqlParam> params{_supplierId, keys.front()};
    std::size_t slots = 1;
    while (slots < keys.size())
        slots *= 2;
    for (std::size_t i = 1; i < slots; ++i) {
        sql += ", ?";
        params.emplace_back(i < keys.size() ? keys[i] : keys.back());
    }
    sql += ')';
    std::map<std::string, Holder> holders;
    Rows& rows = _session.query(sql, params);
    while (rows.next())
        holders.emplace(rows.text(0), Holder{rows.integer(1), rows.integer(2)});
    return holders;
}

bool SkuRegister::isFree(const SkuClaim& claim, const Holder& holder, const std::set<std::int64_t>& released) const {
    if (_productId == 0 || holder.productId != _productId)
        return false;
    return claim.variantId == SkuClaim::UNKNOWN_VARIANT || claim.variantId == holder.variantId ||
           released.contains(holder.variantId);
}

void SkuRegister::release(std::int64_t variantId) {
    _session.execute(RELEASE, {_productId, variantId});
}

void SkuRegister::giveUpAll() {
    _session.execute(GIVE_UP, {_productId});
}

void SkuRegister::claim(std::int64_t productId, const SkuClaim& claim) {
    const std::string key = skuKey(claim.sku);
    try {
        _session.execute(CLAIM, {_supplierId, key, claim.sku, productId, claim.variantId});
    } catch (const DatabaseError& error) {
        if (!error.isDuplicateKey())
            throw;
        Rows& rows = _session.query(SELECT_HOLDER_OF_KEY, {_supplierId, key});
        const std::int64_t holder = rows.next() ? rows.integer(0) : productId;
        throw ApiError::validation({duplicateOf(claim, holder)});
    }
}

} // namespace supplierd::catalog
