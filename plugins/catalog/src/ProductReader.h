#pragma once

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

#include <cstdint>
#include <optional>

namespace supplierd::catalog {

/// Writes a live product with images and variants as the value of the key `product`, into an object that the caller
/// opened. Returns its version; writes nothing and returns nothing when the supplier has no such product.
/// Throws DatabaseError.
std::optional<std::int64_t> writeProduct(SqlSession& session, std::int64_t supplierId, std::int64_t productId,
                                         JsonWriter& json);

} // namespace supplierd::catalog
