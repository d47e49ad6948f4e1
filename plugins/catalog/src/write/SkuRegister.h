#pragma once

#include <supplierd/Database.h>
#include <supplierd/Validation.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// A SKU that a request gives to a product (variantId 0) or to one of its variants.
struct SkuClaim {
    static constexpr std::int64_t PRODUCT = 0;
    /// A variant that is only being made: its id is not known yet.
    static constexpr std::int64_t NEW_VARIANT = -1;
    /// One of the product's variants, but the request does not rightly say which.
    static constexpr std::int64_t UNKNOWN_VARIANT = -2;

    std::string field; ///< as in details: "sku", "variants[2].sku"
    std::string sku;
    std::int64_t variantId = PRODUCT;
};

/// The SKUs in use by a supplier's live products and their variants; skuKey() says which are the same. The unique key
/// of product_skus decides; the look-up before it is there to name every duplicate of a request. Within a transaction
/// that holds the catalog's lock.
class SkuRegister {
public:
    /// productId 0: a product that is only being made.
    SkuRegister(SqlSession& session, std::int64_t supplierId, std::int64_t productId)
        : _session(session), _supplierId(supplierId), _productId(productId) {}

    /// Adds a detail for every claim that another product or variant holds, or that equals an earlier claim. What the
    /// request releases (ids of this product's variants, PRODUCT for its own SKU) is free.
    void findDuplicates(const std::vector<SkuClaim>& claims, const std::set<std::int64_t>& released, Details& details);

    void release(std::int64_t variantId);
    /// All that the product and its variants have, since it is deleted.
    void giveUpAll();
    /// Throws ApiError (Validation) when the SKU is taken after all.
    void claim(std::int64_t productId, const SkuClaim& claim);

private:
    struct Holder {
        std::int64_t productId = 0;
        std::int64_t variantId = 0;
    };

    /// By the keys of their SKUs.
    std::map<std::string, Holder> holdersOf(const std::vector<std::string>& keys);
    bool isFree(const SkuClaim& claim, const Holder& holder, const std::set<std::int64_t>& released) const;

    SqlSession& _session;
    std::int64_t _supplierId;
    std::int64_t _productId;
};

} // namespace supplierd::catalog
