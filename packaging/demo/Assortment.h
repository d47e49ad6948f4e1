#pragma once

#include "DemoProduct.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::demo {

/// One variety of flower, sold in several lengths.
struct FlowerLine {
    std::string_view categorySlug;
    std::string_view genus;
    std::string_view variety;
    std::string_view color;
    std::string_view unit;
    std::int64_t price; ///< of the shortest, in 1/10,000 EUR a unit
    std::vector<int> lengths;
    std::int64_t minOrder;
};

/// One article of the florist's workshop, in several kinds.
struct SupplyLine {
    std::string_view categorySlug;
    std::string_view name;
    std::string_view unit;
    std::int64_t price; ///< in 1/10,000 EUR a unit
    std::int64_t minOrder;
    std::string_view country;
    std::vector<std::string_view> colors; ///< become variants when there is more than one
};

std::span<const FlowerLine> dutchFlowers();
std::span<const FlowerLine> andeanFlowers();
std::span<const FlowerLine> kenyanFlowers();
std::span<const SupplyLine> floristSupplies();

} // namespace supplierd::demo
