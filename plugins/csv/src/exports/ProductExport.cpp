#include "exports/ProductExport.h"

#include "Columns.h"
#include "imports/ImportRecord.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace supplierd::csv {

namespace {

/// Of the file, roughly, and of its products: one may be a hundred bytes or, with its variants, as many kilobytes.
constexpr std::size_t BYTES_AT_ONCE = 256 * 1'024;
constexpr std::size_t MOST_AT_ONCE = 50;

std::string urlsOf(const JsonArray& images) {
    std::string urls;
    for (const JsonValue image : images)
        urls.append(urls.empty() ? "" : "|").append(image.object().get("url").text());
    return urls;
}

/// Columns that stand for a member of an object in the product.
struct Nested {
    std::string_view column;
    std::string_view object;
    std::string_view member;
};
constexpr std::array NESTED{Nested{"category_id", "category", "id"}, Nested{"category", "category", "name"},
                            Nested{"approval", "approval", "status"}, Nested{"approval_reason", "approval", "reason"}};

JsonValue valueOf(const JsonObject& product, std::string_view column) {
    const auto* const nested =
        std::find_if(NESTED.begin(), NESTED.end(), [&](const Nested& one) { return one.column == column; });
    return nested == NESTED.end() ? product.get(column) : product.get(nested->object).object().get(nested->member);
}

void writeCell(CsvWriter& csv, ColumnKind kind, const JsonValue& value) {
    if (value.isNull())
        csv.empty();
    else if (kind == ColumnKind::Decimal)
        csv.number(Decimal::parse(value.number()));
    else if (value.isInteger())
        csv.number(value.integer());
    else if (value.isBoolean())
        csv.truth(value.boolean());
    else if (kind == ColumnKind::ImageUrls)
        csv.text(urlsOf(value.array()));
    else
        csv.text(value.text());
}

/// The row of a product, or of one of its variants: that names its product and leaves the rest of it empty.
void writeRow(CsvWriter& csv, const JsonObject& product, const JsonObject* variant) {
    for (const Column& column : productColumns()) {
        const bool isName = column.name == "id" || column.name == "sku";
        JsonValue value;
        if (column.isOfVariant() && variant != nullptr)
            value = variant->get(column.field());
        else if (!column.isOfVariant() && (variant == nullptr || isName))
            value = valueOf(product, column.kind == ColumnKind::ImageUrls ? "images" : column.name);
        writeCell(csv, column.kind, value);
    }
    csv.endLine();
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
        for (const Column& column : productColumns())
            csv.text(column.name);
        csv.endLine();
        return true;
    }
    const auto products = _walk->next(_atOnce);
    const std::size_t before = text.size();
    for (const ProductRecord& record : products) {
        const JsonDocument document = record.read();
        const JsonObject product = document.object();
        writeRow(csv, product, nullptr);
        for (const JsonValue value : product.get("variants").array()) {
            const JsonObject variant = value.object();
            writeRow(csv, product, &variant);
        }
    }
    const std::size_t bytes = std::max<std::size_t>(text.size() - before, 1);
    _atOnce = std::clamp<std::size_t>(BYTES_AT_ONCE * products.size() / bytes, 1, MOST_AT_ONCE);
    _written += static_cast<std::int64_t>(products.size());
    return !products.empty();
}

} // namespace supplierd::csv
