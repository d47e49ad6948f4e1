#pragma once

#include <supplierd/Errors.h>
#include <supplierd/Json.h>
#include <supplierd/Validation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// By what an entry of a batch names a product: by a SKU, or else by an id. An id beside a SKU says of which product
/// the SKU was when the entry was made; one that cannot be an id says nothing then.
struct ProductName {
    std::optional<std::string> sku;
    std::string skuKey;
    std::optional<std::int64_t> id;

    /// Adds a detail where there is neither, or one that cannot be.
    static ProductName read(const JsonObject& entry, Details& details);
};

/// Why an entry is refused whose SKU is not that of the product that its id names: nobody knows which of them is meant.
/// Spreadsheets make such entries, of 0012 they make 12. `sku`: of the product with the id. `skuProduct`: which has the
/// entry's SKU, if there is one.
Detail skuMismatch(const ProductName& name, const std::optional<std::string>& sku,
                   const std::optional<std::int64_t>& skuProduct);

/// [[id or null, SKU's key or null], ...], for statements that find them all.
std::string jsonOf(const std::vector<ProductName>& names);

} // namespace supplierd::catalog
