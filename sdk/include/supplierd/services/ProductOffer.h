#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Decimal.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// What can be bought under a ProductRef, as the catalog has it now.
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

} // namespace supplierd
