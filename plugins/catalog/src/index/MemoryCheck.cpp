#include "index/MemoryCheck.h"

#include <algorithm>
#include <string>
#include <vector>

namespace supplierd::catalog {

namespace {

/// The columns of a product, its marks and its place among the texts, its share of a signature, and its row number in
/// each of six orders (supplierd-bench-index measures it).
constexpr double BYTES_OF_A_PRODUCT = 104;
/// Its hash, its product and its mark.
constexpr double BYTES_OF_A_SKU = 10;

// Suppliers with more variants than products are rare, so that those with the most products are those with the most of
// all.
constexpr std::string_view SELECT_LARGEST = R"(
SELECT supplier_id, COUNT(*) FROM products FORCE INDEX (products_listed)
GROUP BY supplier_id ORDER BY COUNT(*) DESC LIMIT 20)";

// A character takes a byte where the supplier uses few different ones, and two or three in scripts that have thousands:
// those of three and four bytes in UTF-8.
constexpr std::string_view SELECT_TEXT_BYTES = R"(
SELECT CAST(COALESCE(AVG(CHAR_LENGTH(text) + GREATEST(LENGTH(text) - 2 * CAST(CHAR_LENGTH(text) AS SIGNED), 0)), 0)
    AS DECIMAL(12,4))
FROM (
    SELECT CONCAT(name, COALESCE(sku, '')) AS text FROM products FORCE INDEX (PRIMARY)
    WHERE supplier_id = ? AND deleted = 0 ORDER BY id DESC LIMIT 2000) some)";

constexpr std::string_view SELECT_VARIANT_SKUS = R"(
SELECT COUNT(*), CAST(COALESCE(AVG(
    CHAR_LENGTH(sku) + GREATEST(LENGTH(sku) - 2 * CAST(CHAR_LENGTH(sku) AS SIGNED), 0)), 0) AS DECIMAL(12,4))
FROM product_skus FORCE INDEX (PRIMARY) WHERE supplier_id = ? AND variant_id <> 0)";

struct SupplierSize {
    std::int64_t supplierId = 0;
    CatalogSize size;
};

double fraction(const Rows& row, std::size_t column) {
    return static_cast<double>(row.decimal(column).tenThousandths()) / static_cast<double>(Decimal::SCALE);
}

/// The one with the most products first.
std::vector<SupplierSize> readLargest(SqlSession& session) {
    std::vector<SupplierSize> suppliers;
    Rows& rows = session.query(SELECT_LARGEST);
    while (rows.next())
        suppliers.push_back({rows.integer(0), {.products = rows.integer(1)}});
    for (SupplierSize& supplier : suppliers) {
        Rows& texts = session.query(SELECT_TEXT_BYTES, {supplier.supplierId});
        if (texts.next())
            supplier.size.textBytes = fraction(texts, 0);
        Rows& variants = session.query(SELECT_VARIANT_SKUS, {supplier.supplierId});
        if (variants.next()) {
            supplier.size.variantSkus = variants.integer(0);
            supplier.size.variantSkuBytes = fraction(variants, 1);
        }
    }
    return suppliers;
}

std::string mebibytes(std::int64_t bytes) {
    constexpr std::int64_t MEBIBYTE = 1'048'576;
    return std::to_string((bytes + MEBIBYTE - 1) / MEBIBYTE) + " MiB";
}

std::string describe(const SupplierSize& supplier) {
    return "those of supplier " + std::to_string(supplier.supplierId) + " (" + std::to_string(supplier.size.products) +
           ") about " + mebibytes(supplier.size.estimatedBytes());
}

} // namespace

std::int64_t CatalogSize::estimatedBytes() const {
    return static_cast<std::int64_t>(static_cast<double>(products) * (BYTES_OF_A_PRODUCT + textBytes) +
                                     static_cast<double>(variantSkus) * (BYTES_OF_A_SKU + variantSkuBytes));
}

CheckResult checkIndexMemory(Database& database, std::size_t memory) {
    const auto bound = static_cast<std::int64_t>(largestIndex(memory));
    const auto suppliers = database.read([](SqlSession& session) { return readLargest(session); });
    std::int64_t largest = 0;
    std::string tooLarge;
    for (const SupplierSize& supplier : suppliers) {
        largest = std::max(largest, supplier.size.estimatedBytes());
        if (supplier.size.estimatedBytes() > bound)
            tooLarge += (tooLarge.empty() ? "" : ", ") + describe(supplier);
    }
    if (tooLarge.empty())
        return {CheckResult::Level::Good,
                "the products of each supplier fit: of " + mebibytes(bound) + " the largest take about " +
                    mebibytes(largest),
                {}};
    return {CheckResult::Level::Warning,
            "the products of a supplier take more than the " + mebibytes(bound) + " that one supplier's may take: " +
                tooLarge + "; their lists are answered by the database, rightly but slowly",
            "set memory in [server] to " + mebibytes((largest + largest / 10) / 3 * 4) +
                " or more, and restart the server"};
}

} // namespace supplierd::catalog
