#include "ProductJson.h"

#include <algorithm>
#include <map>

namespace supplierd::catalog {

namespace {

constexpr std::string_view VARIANTS_OF_PRODUCTS = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_variants v FORCE INDEX (product_variants_product) ON v.product_id = t.id
ORDER BY v.product_id, v.id)";

constexpr std::size_t APPROVAL_REASON = column::FIELDS + LISTED_FIELDS.size();
constexpr std::size_t APPROVAL_SINCE = APPROVAL_REASON + 1;
constexpr std::size_t FURTHER_FIELDS = APPROVAL_SINCE + 1;

/// What only a single read shows; the category is shown as an object.
constexpr bool isFurther(std::size_t field) {
    return field != field::CATEGORY_ID &&
           std::find(LISTED_FIELDS.begin(), LISTED_FIELDS.end(), field) == LISTED_FIELDS.end();
}

std::string columnsOf(Extent extent) {
    std::string sql = "p.id, p.category_id, p.min_order_qty, p.approval, c.name, p.primary_image";
    for (const std::size_t field : LISTED_FIELDS)
        sql.append(", p.").append(PRODUCT_FIELDS.at(field).name);
    if (extent != Extent::List)
        sql += ", p.approval_reason, CASE WHEN p.approval_at IS NULL THEN p.created_at ELSE p.approval_at END";
    if (extent != Extent::Whole)
        return sql;
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        if (isFurther(i))
            sql.append(", p.").append(PRODUCT_FIELDS[i].name);
    return sql + ", p.created_at, p.updated_at, p.version";
}

void write(JsonWriter& json, const Rows& row, std::size_t column, const RecordField& field) {
    json.key(field.name);
    if (!row.isNull(column) && std::holds_alternative<TextRule>(field.rule))
        json.value(row.text(column)); // without a copy
    else
        writeValue(json, field, readValue(row, column, field));
}

void writeListed(JsonWriter& json, const Rows& row, bool withImages) {
    json.field("id", row.integer(column::Id));
    for (std::size_t i = 0; i < LISTED_FIELDS.size(); ++i) {
        const std::size_t field = LISTED_FIELDS[i];
        const std::size_t column = column::FIELDS + i;
        write(json, row, column, PRODUCT_FIELDS.at(field));
        if (field == field::STOCK_QTY)
            json.field("stock_status", stockStatus(row.integer(column), row.integer(column::MinOrderQty)));
    }
    json.field("is_approved", static_cast<Approval>(row.integer(column::Approval)) == Approval::Approved);
    json.key("category").beginObject();
    json.field("id", row.integer(column::CategoryId)).field("name", row.text(column::CategoryName)).endObject();
    json.field("primary_image", withImages ? row.maybeText(column::PrimaryImage) : std::nullopt);
}

} // namespace

const std::string& shownColumns(Extent extent) {
    static const std::array COLUMNS{columnsOf(Extent::List), columnsOf(Extent::ListWithApproval),
                                    columnsOf(Extent::Whole)};
    return COLUMNS.at(static_cast<std::size_t>(extent));
}

std::size_t endOfColumns(Extent extent) {
    const std::string& columns = shownColumns(extent);
    return static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ',')) + 1;
}

void writeShown(JsonWriter& json, const Rows& row, Extent extent, bool withImages) {
    writeListed(json, row, withImages);
    std::size_t column = FURTHER_FIELDS;
    for (std::size_t i = 0; extent == Extent::Whole && i < PRODUCT_FIELDS.size(); ++i)
        if (isFurther(i))
            write(json, row, column++, PRODUCT_FIELDS[i]);
    if (extent == Extent::List)
        return;
    json.key("approval").beginObject();
    json.field("status", termAt(APPROVALS, row.integer(column::Approval)));
    json.field("reason", row.maybeText(APPROVAL_REASON)).field("since", row.time(APPROVAL_SINCE)).endObject();
    if (extent != Extent::Whole)
        return;
    json.field("created_at", row.time(column)).field("updated_at", row.time(column + 1));
    json.field("version", row.integer(column + 2));
}

const std::string& variantColumns() {
    static const std::string COLUMNS = "v.id, " + sqlOfFields(VARIANT_FIELDS, "v.$");
    return COLUMNS;
}

void writeVariant(JsonWriter& json, const Rows& row, std::size_t firstColumn, std::int64_t minOrderQty) {
    json.beginObject().field("id", row.integer(firstColumn));
    for (std::size_t i = 0; i < VARIANT_FIELDS.size(); ++i) {
        const std::size_t column = firstColumn + 1 + i;
        write(json, row, column, VARIANT_FIELDS[i]);
        if (i == variant::STOCK_QTY)
            json.field("stock_status", stockStatus(row.integer(column), minOrderQty));
    }
    json.endObject();
}

std::vector<std::string> imageArrays(SqlSession& session, ImageIngest* images,
                                     std::span<const std::int64_t> productIds) {
    std::vector<std::string> arrays(productIds.size(), images == nullptr ? "[]" : "");
    if (images == nullptr)
        return arrays;
    const auto found = images->imagesOfAll(session, productIds);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        JsonWriter json(arrays[i]);
        json.beginArray();
        for (const ProductImage& image : found[i])
            writeJson(json, image);
        json.endArray();
    }
    return arrays;
}

std::vector<std::string> variantArrays(SqlSession& session, std::span<const std::int64_t> productIds,
                                       std::span<const std::int64_t> minOrderQtys) {
    static const std::string SQL = "SELECT v.product_id, " + variantColumns() + std::string(VARIANTS_OF_PRODUCTS);
    std::vector<std::string> arrays(productIds.size());
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < productIds.size(); ++i)
        places.emplace(productIds[i], i);
    Rows& rows = session.query(SQL, {jsonArray(productIds)});
    while (rows.next()) {
        const std::size_t place = places.at(rows.integer(0));
        arrays[place] += arrays[place].empty() ? '[' : ',';
        JsonWriter json(arrays[place]);
        writeVariant(json, rows, 1, minOrderQtys[place]);
    }
    for (std::string& array : arrays)
        array += array.empty() ? "[]" : "]";
    return arrays;
}

} // namespace supplierd::catalog
