#include "OrderIntake.h"

#include <algorithm>
#include <utility>

namespace supplierd::orders {

namespace {

constexpr std::string_view VERIFIED = "verified"; // Supplier::status

/// False when the line names nothing that is on sale.
bool checkOffer(const OrderLine& line, const ProductOffer& offer, const Supplier* supplier, bool isSandbox,
                Details& details) {
    const auto refuse = [&](std::string_view field, const std::string& reason) {
        const std::string place = line.place(field);
        details.add(place, "unknown_reference", place + reason);
        return false;
    };
    const std::string product = "product " + std::to_string(line.productId);
    if (!offer.hasProduct)
        return refuse("product_id", ": there is no " + product);
    if (supplier->isSandbox() != isSandbox)
        return refuse("product_id", isSandbox ? ": " + product + " is no sandbox's, and this order is for those"
                                              : ": " + product + " is a sandbox's, and this order is a real one");
    if (!offer.isProductForSale)
        return refuse("product_id", ": " + product + " is not active and approved");
    if (supplier->status != VERIFIED)
        return refuse("product_id", ": " + product + " is not on sale, its supplier is " + supplier->status);
    if (!line.variantId)
        return true;
    const std::string variant = ": variant " + std::to_string(*line.variantId);
    if (!offer.hasVariant)
        return refuse("variant_id", variant + " is not one of " + product);
    if (!offer.isVariantForSale)
        return refuse("variant_id", variant + " is not active");
    return true;
}

} // namespace

void findLineProblems(const OrderInput& order, const std::vector<ProductOffer>& offers, const SuppliersById& suppliers,
                      Details& details) {
    // What lines of the order want of each product (variant 0) or variant, up to the one that is looked at.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> wanted;
    for (std::size_t i = 0; i < order.lines.size(); ++i) {
        const OrderLine& line = order.lines[i];
        const ProductOffer& offer = offers[i];
        const Supplier* const supplier = offer.hasProduct ? &suppliers.at(offer.supplierId) : nullptr;
        if (!checkOffer(line, offer, supplier, order.isSandbox, details))
            continue;
        std::int64_t& sum = wanted[{line.productId, line.variantId.value_or(0)}];
        const std::int64_t left = std::max<std::int64_t>(0, offer.stock - sum);
        sum += line.quantity;
        if (line.quantity <= left)
            continue;
        const std::string place = line.place("quantity");
        details.add(place, "out_of_range", place + ": not enough in stock, " + std::to_string(left) + " left");
    }
}

} // namespace supplierd::orders
