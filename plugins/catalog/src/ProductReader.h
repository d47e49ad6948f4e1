#pragma once

#include "EntityTag.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/ChangeLog.h>
#include <supplierd/services/ProductRecord.h>

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::catalog {

struct WrittenProduct {
    ShownVersion shown;
    /// Of the product's last change.
    std::int64_t changeSeq = 0;
    /// What was committed when it was read.
    CommittedNumbers asOf;
};

/// Writes a live product with images and variants as a value. Writes nothing and returns nothing when the supplier has
/// no such product. Without `images` (null) it has none. One statement. Throws DatabaseError.
std::optional<WrittenProduct> writeProduct(SqlSession& session, ImageIngest* images, std::int64_t supplierId,
                                           std::int64_t productId, JsonWriter& json);

/// As Products::find().
std::optional<ProductRecord> findProduct(SqlSession& session, ImageIngest* images, Accounts& accounts,
                                         std::int64_t productId);

} // namespace supplierd::catalog
