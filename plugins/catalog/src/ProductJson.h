#pragma once

#include "ProductFields.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/internal/ImageIngest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// How much of a product is shown: each shows what the one before does.
enum class Extent {
    List,
    ListWithApproval, ///< operators' lists, and suppliers' with include=approval
    Whole
};

/// The first columns of every statement that reads products `p` with their categories `c` to show them.
namespace column {
enum : std::size_t { Id, CategoryId, MinOrderQty, Approval, CategoryName, PrimaryImage, FIELDS };
}
/// "p.id, p.category_id, …"
const std::string& shownColumns(Extent extent);
/// The number of the column behind them.
std::size_t endOfColumns(Extent extent);

/// Writes the members of a product's object, into one that the caller opened. Without `withImages`, when no plugin
/// serves them, there is no primary image.
void writeShown(JsonWriter& json, const Rows& row, Extent extent, bool withImages);

/// "v.id, v.name, …"
const std::string& variantColumns();
/// Writes a variant as a value, from such columns.
void writeVariant(JsonWriter& json, const Rows& row, std::size_t firstColumn, std::int64_t minOrderQty);

/// The arrays `images` of products, in their order. Without `images` (null) they are empty.
std::vector<std::string> imageArrays(SqlSession& session, ImageIngest* images,
                                     std::span<const std::int64_t> productIds);
/// The arrays `variants`, likewise. `minOrderQtys`: those of the products.
std::vector<std::string> variantArrays(SqlSession& session, std::span<const std::int64_t> productIds,
                                       std::span<const std::int64_t> minOrderQtys);

} // namespace supplierd::catalog
