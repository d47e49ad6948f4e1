#pragma once

#include <supplierd/Json.h>
#include <supplierd/Validation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// By what an entry of a batch names a product: by a SKU, or else by an id.
struct ProductName {
    std::optional<std::string> sku;
    std::string skuKey;
    std::optional<std::int64_t> id;

    /// Adds a detail where there is neither, or one that cannot be.
    static ProductName read(const JsonObject& entry, Details& details);
};

/// [[id or null, SKU's key or null], ...], for statements that find them all.
std::string jsonOf(const std::vector<ProductName>& names);

} // namespace supplierd::catalog
