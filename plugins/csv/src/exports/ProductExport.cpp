#include "exports/ProductExport.h"

#include "Columns.h"
#include "imports/ImportRecord.h"

namespace supplierd::csv {

namespace {

constexpr std::size_t PRODUCTS_AT_ONCE = 200;

/// In the order of PRODUCT_COLUMNS.
void writeProduct(CsvWriter& csv, const ProductDetail& product) {
    csv.number(product.id).text(product.sku).text(product.name).text(product.type);
    csv.number(product.categoryId).text(product.categoryName).number(product.basePrice).text(product.unit);
    csv.number(product.stockQty).number(product.minOrderQty).text(product.color).number(product.stemLength);
    csv.text(product.countryOfOrigin).number(product.vatRate).truth(product.isActive).text(product.description);
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
    const auto products = _walk->next(PRODUCTS_AT_ONCE);
    for (const ProductDetail& product : products)
        writeProduct(csv, product);
    _written += static_cast<std::int64_t>(products.size());
    return !products.empty();
}

} // namespace supplierd::csv
