#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Decimal.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace supplierd {

/// What a product is sold in, in the words of the API. New ones go to the end: take one that you do not know for
/// something newer. Since 1.0.
SUPPLIERD_API std::span<const std::string_view> productUnits();

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
    bool isProductForSale = false;
    /// The variant that was asked for is one of that product.
    bool hasVariant = false;
    bool isVariantForSale = false;
    std::int64_t supplierId = 0;
    /// "product", or "product, variant".
    std::string name = {};
    /// The variant's, or else the product's.
    std::optional<std::string> sku = std::nullopt;
    /// As the API says it: "stem".
    std::string unit = {};
    /// In percent: 21.
    Decimal vatRate = {};
    /// The variant's, or else the product's; in EUR, before VAT.
    Decimal basePrice = {};
    std::int64_t stock = 0;
    Reserved reserved = {};
};

} // namespace supplierd
