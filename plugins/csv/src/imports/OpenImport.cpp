#include "imports/OpenImport.h"

#include "imports/ImportFile.h"

#include <supplierd/Sku.h>

#include <functional>
#include <utility>

namespace supplierd::csv {

namespace {

/// Of one batch: fetching takes its time, and who else has an import waits for it.
constexpr std::size_t IMAGES_AT_ONCE = 20;
/// Of the rows of one batch, roughly: they are in memory several times.
constexpr std::size_t BYTES_AT_ONCE = std::size_t{2} << 20;

} // namespace

std::size_t keyOf(const ProductRow& row) {
    return std::hash<std::string>()(skuKey(row.sku));
}

OpenImport::OpenImport(ImportRecord import_, CategoryNames categories, ImportStore& store)
    : import(std::move(import_)),
      heading(import.heading),
      keepsCreated(import.isDryRun && heading.hasVariants()),
      failedRows(import.rows.failed),
      changedRows(import.rows.created + import.rows.updated),
      farPrices(import.rows.farPrices),
      _categories(std::move(categories)),
      _products(heading, import, _categories),
      _records(openFile(store, import.id, import.format)) {
    Record record;
    while (record.row < import.lastRow && _records->next(record)) {
        if (record.row <= import.headingRow)
            continue;
        ProductRow done = _products.read(record);
        note(done);
        if (keepsCreated && done.isOfProduct) // or it failed then, which is told there
            created.insert(keyOf(done));
    }
}

void OpenImport::readBatch(std::size_t size) {
    batch.clear();
    Record record;
    std::size_t images = 0;
    std::size_t bytes = 0;
    while (batch.size() < size && images < IMAGES_AT_ONCE && bytes < BYTES_AT_ONCE && _records->next(record)) {
        batch.push_back(_products.read(record));
        ProductRow& row = batch.back();
        note(row);
        images += row.imageUrls.size();
        bytes += row.names.size() + row.fields.size() + row.variant.size();
    }
}

/// Rows of variants that follow each other may repeat what they say of their product.
void OpenImport::note(ProductRow& row) {
    if (!row.variantSku.empty())
        noteOnce("variant\n" + skuKey(row.variantSku), "variant_sku", row);
    if (row.sku.empty())
        return;
    const bool isRepeated = !row.variant.empty() && row.isOfProduct && row.names == _last.names &&
                            row.fields == _last.fields && row.imageUrls == _last.imageUrls;
    if (isRepeated) {
        row.isOfProduct = false;
        row.imageUrls.clear();
    } else if (row.isOfProduct) {
        noteOnce(skuKey(row.sku), "sku", row);
        _last.names = row.names;
        _last.fields = row.fields;
        _last.imageUrls = row.imageUrls;
    }
}

/// A SKU that stands in the file twice is a mistake in one of the rows: nobody knows in which.
void OpenImport::noteOnce(const std::string& key, std::string_view field, ProductRow& row) {
    const auto [entry, isNew] = _rowsBySku.emplace(std::hash<std::string>()(key), static_cast<std::uint32_t>(row.row));
    if (!isNew)
        row.problems.push_back({std::string(field), "duplicate",
                                std::string(field) + " stands in row " + std::to_string(entry->second) + " already"});
}

} // namespace supplierd::csv
