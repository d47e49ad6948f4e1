#pragma once

#include "imports/ImportStore.h"
#include "imports/ProductRow.h"
#include "text/RecordReader.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace supplierd::csv {

/// What rows of the same product have in common; the same for few others.
std::size_t keyOf(const ProductRow& row);

/// An import whose file is being read, a batch after the other. Thread: one.
class OpenImport {
public:
    /// Reads up to where the import stands. The store outlives it. Throws FileProblem, DatabaseError.
    OpenImport(ImportRecord import, CategoryNames categories, ImportStore& store);
    OpenImport(const OpenImport&) = delete;
    OpenImport& operator=(const OpenImport&) = delete;

    /// The next rows, at most so many, and fewer where images are to be fetched; none at the end.
    void readBatch(std::size_t size);

    const ImportRecord import;
    const Heading heading;
    /// Whether `created` is kept: a million rows take their memory.
    const bool keepsCreated;
    std::vector<ProductRow> batch;
    std::int64_t failedRows = 0;
    /// Of a dry run.
    std::int64_t changedRows = 0;
    std::int64_t farPrices = 0;
    /// The products that a dry run of a file with variants would have created by now, by keyOf().
    std::unordered_set<std::size_t> created;

private:
    void note(ProductRow& row);
    void noteOnce(const std::string& key, std::string_view field, ProductRow& row);

    const CategoryNames _categories;
    const ProductRows _products;
    std::unique_ptr<RecordReader> _records;
    /// Rows by what their SKUs are told apart by.
    std::unordered_map<std::size_t, std::uint32_t> _rowsBySku;
    /// What the last row said of its product.
    ProductRow _last;
};

} // namespace supplierd::csv
