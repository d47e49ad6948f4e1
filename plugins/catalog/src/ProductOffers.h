#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/ProductOffer.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// As Products::offers() and Products::bySku().
std::vector<ProductOffer> readOffers(SqlSession& session, std::span<const ProductRef> products);
std::vector<std::optional<ProductRef>> findBySku(SqlSession& session, std::int64_t supplierId,
                                                 std::span<const std::string> skus);

} // namespace supplierd::catalog
