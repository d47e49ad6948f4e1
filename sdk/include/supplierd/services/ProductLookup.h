#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Decimal.h>
#include <supplierd/Errors.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What a product is sold in, in the words of the API. New ones go to the end: take one that you do not know for
/// something newer. The place of each is the number that stands for it where the bundled plugins store it. Since 1.0.
inline constexpr std::array<std::string_view, 8> PRODUCT_UNITS{"stem",  "bunch",    "box",   "pack",
                                                               "piece", "kilogram", "meter", "roll"};

/// A product, or one of its variants.
struct SUPPLIERD_API ProductRef {
    std::int64_t productId = 0;
    std::optional<std::int64_t> variantId = std::nullopt;

    friend bool operator==(const ProductRef&, const ProductRef&) = default;
};

/// What can be bought under a ProductRef, as the catalogue has it now.
struct SUPPLIERD_API ProductOffer {
    /// There is such a live product; nothing else is set when not.
    bool hasProduct = false;
    /// It is approved and active.
    bool productOnSale = false;
    /// The variant that was asked for is one of that product.
    bool hasVariant = false;
    bool variantOnSale = false;
    std::int64_t supplierId = 0;
    /// "product", or "product, variant".
    std::string name = {};
    /// The variant's, or else the product's.
    std::optional<std::string> sku = std::nullopt;
    /// As the API says it: "stem".
    std::string unit = {};
    Decimal vatRate = {};
    /// The variant's, or else the product's.
    Decimal basePrice = {};
    std::int64_t stock = 0;
    Reserved reserved = {};
};

/// A service of the plugin `catalog`: finds products. Each call is one statement, whatever the number. What it says
/// stays true while the suppliers' catalogues are locked. Thread: any. Throws DatabaseError. Since 1.0.
class SUPPLIERD_API ProductLookup {
public:
    static constexpr std::string_view ID = "supplierd.product-lookup/1";

    /// One for each, in their order; of whatever suppliers.
    virtual std::vector<ProductOffer> offers(SqlSession& session, std::span<const ProductRef> products) = 0;
    /// The live products and variants of a supplier that have these SKUs (skuKey() says which are the same), in their
    /// order.
    virtual std::vector<std::optional<ProductRef>> bySku(SqlSession& session, std::int64_t supplierId,
                                                         std::span<const std::string> skus) = 0;

    /// A live product of this supplier, whatever its state; ApiError (NotFound) when it has none of that id.
    ProductOffer require(SqlSession& session, std::int64_t supplierId, std::int64_t productId) {
        const ProductRef wanted{productId};
        const ProductOffer found = offers(session, {&wanted, 1}).front();
        if (!found.hasProduct || found.supplierId != supplierId)
            throw ApiError::notFound("Product not found");
        return found;
    }

protected:
    ~ProductLookup() = default;
};

} // namespace supplierd
