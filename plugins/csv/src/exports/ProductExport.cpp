#include "exports/ProductExport.h"

#include "Columns.h"
#include "imports/ImportRecord.h"

#include <algorithm>
#include <vector>

namespace supplierd::csv {

namespace {

/// Of the file, roughly, and of its products: one may be a hundred bytes or, with its variants, as many kilobytes.
constexpr std::size_t BYTES_AT_ONCE = 256 * 1'024;
constexpr std::size_t MOST_AT_ONCE = 50;

constexpr auto IS_OF_VARIANT = [](const Column& column) { return column.isOfVariant(); };
constexpr auto FIRST_OF_VARIANT = static_cast<std::size_t>(
    std::find_if(PRODUCT_COLUMNS.begin(), PRODUCT_COLUMNS.end(), IS_OF_VARIANT) - PRODUCT_COLUMNS.begin());
constexpr auto CELLS_OF_VARIANT =
    static_cast<std::size_t>(std::count_if(PRODUCT_COLUMNS.begin(), PRODUCT_COLUMNS.end(), IS_OF_VARIANT));

std::string urlsOf(const std::vector<ProductImage>& images) {
    std::string urls;
    for (const ProductImage& image : images)
        urls.append(urls.empty() ? "" : "|").append(image.url);
    return urls;
}

/// Both in the order of PRODUCT_COLUMNS. A variant has a row of its own, which names its product and leaves the rest of
/// it empty.
void writeVariant(CsvWriter& csv, const ProductDetail& product, const ProductVariant& variant) {
    csv.number(product.id).text(product.sku);
    for (std::size_t i = 2; i < FIRST_OF_VARIANT; ++i)
        csv.empty();
    csv.number(variant.id).text(variant.sku).text(variant.name).text(variant.color).number(variant.stemLength);
    csv.number(variant.basePrice).number(variant.stockQty).truth(variant.isActive);
    for (std::size_t i = FIRST_OF_VARIANT + CELLS_OF_VARIANT; i < PRODUCT_COLUMNS.size(); ++i)
        csv.empty();
    csv.endLine();
}

void writeProduct(CsvWriter& csv, const ProductDetail& product) {
    csv.number(product.id).text(product.sku).text(product.name).text(product.type);
    csv.number(product.categoryId).text(product.categoryName).number(product.basePrice).text(product.unit);
    csv.number(product.stockQty).number(product.minOrderQty).text(product.color).number(product.stemLength);
    csv.text(product.countryOfOrigin).number(product.vatRate).truth(product.isActive).text(product.description);
    csv.text(urlsOf(product.images));
    for (std::size_t i = 0; i < CELLS_OF_VARIANT; ++i)
        csv.empty();
    csv.text(product.stockStatus).text(product.approval).text(product.approvalReason).text(product.primaryImage);
    csv.text(product.createdAt).text(product.updatedAt).endLine();
}

} // namespace

CsvStyle readStyle(QueryReader& query) {
    CsvStyle style;
    style.separator = separatorNamed(query.oneOf("separator", SEPARATORS).value_or(",")).value();
    style.decimalSign = query.oneOf("decimal", DECIMAL_SIGNS) == "comma" ? ',' : '.';
    return style;
}

bool ProductExport::append(std::string& text) {
    CsvWriter csv(text, _style);
    if (!_hasHeading) {
        _hasHeading = true;
        text += BYTE_ORDER_MARK;
        for (const Column& column : PRODUCT_COLUMNS)
            csv.text(column.name);
        csv.endLine();
        return true;
    }
    const auto products = _walk->next(_atOnce);
    const std::size_t before = text.size();
    for (const ProductDetail& product : products) {
        writeProduct(csv, product);
        for (const ProductVariant& variant : product.variants)
            writeVariant(csv, product, variant);
    }
    const std::size_t bytes = std::max<std::size_t>(text.size() - before, 1);
    _atOnce = std::clamp<std::size_t>(BYTES_AT_ONCE * products.size() / bytes, 1, MOST_AT_ONCE);
    _written += static_cast<std::int64_t>(products.size());
    return !products.empty();
}

} // namespace supplierd::csv
