#include "ProductTerms.h"

#include <algorithm>
#include <iterator>

namespace supplierd::catalog {

std::optional<std::int64_t> numberOf(std::span<const std::string_view> terms, std::string_view term) {
    const auto found = std::find(terms.begin(), terms.end(), term);
    if (found == terms.end())
        return std::nullopt;
    return std::distance(terms.begin(), found);
}

std::string_view termAt(std::span<const std::string_view> terms, std::int64_t number) {
    if (number < 0 || static_cast<std::size_t>(number) >= terms.size())
        return {};
    return terms[static_cast<std::size_t>(number)];
}

std::string_view stockStatus(std::int64_t stockQty, std::int64_t minOrderQty) {
    if (stockQty <= 0)
        return "out_of_stock";
    return stockQty >= minOrderQty ? "in_stock" : "low_stock";
}

} // namespace supplierd::catalog
