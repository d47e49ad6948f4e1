#pragma once

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/services/Catalogue.h>

#include <cstddef>

namespace supplierd::catalog {

/// The first columns of every statement that reads products to show them.
namespace column {
enum : std::size_t {
    Id,
    CategoryId,
    StockQty,
    MinOrderQty,
    Type,
    Unit,
    IsActive,
    Approval,
    BasePrice,
    Name,
    Sku,
    CategoryName,
    PrimaryImage,
    END
};
} // namespace column

/// Reads the fields that the lists and the single read share. Without `withImages`, when no plugin serves them, there
/// is no primary image.
void readSummary(const Rows& row, bool withImages, ProductSummary& product);

/// Writes the fields of a supplier's list straight from such a row, into an object that the caller opened.
void writeListFields(JsonWriter& json, const Rows& row, bool withImages);

} // namespace supplierd::catalog
