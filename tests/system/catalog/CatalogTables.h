#pragma once

#include "tests/system/fixtures/CommitLog.h"

#include <span>

namespace supplierd::tests {

/// Kinds of a commit log's rows. An object is a product. With a SKU the id is that of the variant, 0 for the product's
/// own.
struct CatalogRow {
    static constexpr char PRODUCT = 'P';
    static constexpr char VARIANT = 'V';
    static constexpr char SKU = 'S';
    static constexpr char IMAGE = 'I';
    static constexpr char CATEGORY = 'C';
};

/// What is written down of products; their images are those of the plugin test-images.
std::span<const CommitLog::Table> catalogTables();

} // namespace supplierd::tests
