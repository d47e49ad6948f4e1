#include "list/ListedProducts.h"

#include "ProductJson.h"
#include "ProductReader.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ChangeLog.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::catalog {

namespace {

/// Behind the columns of every list.
enum : std::size_t { RowChangeSeq = column::END, DeletedAt, MarketplaceSeq, DescriptionText };

constexpr std::string_view COLUMNS = R"(
SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit, p.is_active, p.approval, p.base_price, p.name,
    p.sku, c.name, p.primary_image, p.change_seq, p.deleted_at, )";
constexpr std::string_view DESCRIPTION = ", p.description";
constexpr std::string_view FROM = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id)";
constexpr std::string_view OF_SUPPLIER = R"(
WHERE p.supplier_id = ?)";

constexpr std::string_view SELECT_VARIANTS = R"(
SELECT v.product_id, v.id, v.sku, v.name, v.color, v.stem_length, v.base_price, v.stock_qty, v.is_active
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_variants v FORCE INDEX (product_variants_product) ON v.product_id = t.id
ORDER BY v.product_id, v.id)";

/// The members of a product's object, without its braces.
std::string fieldsOf(const Rows& row, bool withImages, bool withDescription) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    writeListFields(json, row, withImages);
    if (withDescription)
        json.field("description", row.maybeText(DescriptionText));
    return text.substr(1);
}

using Products = std::vector<std::shared_ptr<RenderedProduct>>;

/// Behind the other members of its object.
template <class Item>
void appendArray(std::string& fields, std::string_view name, const std::vector<Item>& items) {
    std::string text;
    JsonWriter json(text);
    json.beginObject().key(name).beginArray();
    for (const Item& item : items)
        writeJson(json, item);
    json.endArray();
    fields.append(",").append(text, 1);
}

void appendImages(SqlSession& session, ImageIngest* images, const Products& products) {
    std::vector<std::int64_t> ids;
    for (const auto& product : products)
        ids.push_back(product->id);
    const auto found =
        images == nullptr ? std::vector<std::vector<ProductImage>>(ids.size()) : images->imagesOfAll(session, ids);
    for (std::size_t i = 0; i < products.size(); ++i)
        appendArray(products[i]->fields, "images", found[i]);
}

void appendVariants(SqlSession& session, const std::string& ids, const Products& products,
                    const std::vector<std::int64_t>& minOrderQtys) {
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < products.size(); ++i)
        places.emplace(products[i]->id, i);
    std::vector<std::vector<ProductVariant>> variants(products.size());
    Rows& rows = session.query(SELECT_VARIANTS, {ids});
    while (rows.next())
        if (const auto place = places.find(rows.integer(0)); place != places.end())
            variants[place->second].push_back(readVariant(rows, minOrderQtys[place->second]));
    for (std::size_t i = 0; i < products.size(); ++i)
        appendArray(products[i]->fields, "variants", variants[i]);
}

std::string timeOrNull(const Rows& row, std::size_t column) {
    return row.isNull(column) ? "null" : '"' + row.time(column) + '"';
}

} // namespace

std::vector<std::shared_ptr<const RenderedProduct>> readListedProducts(SqlSession& session, ImageIngest* images,
                                                                       std::int64_t supplierId,
                                                                       std::span<const std::int64_t> ids,
                                                                       ListInclusions include) {
    static const auto statement = [](std::string_view more) {
        return std::string(COLUMNS)
            .append(LAST_CHANGE)
            .append(more)
            .append(FROM)
            .append(JOIN_CATEGORY)
            .append(OF_SUPPLIER);
    };
    static const std::string PLAIN = statement({});
    static const std::string WITH_DESCRIPTION = statement(DESCRIPTION);
    const std::string wanted = jsonArray(ids);
    Products products;
    products.reserve(ids.size());
    Rows& rows = session.query(include.description ? WITH_DESCRIPTION : PLAIN, {MARKETPLACE, wanted, supplierId});
    std::vector<std::int64_t> minOrderQtys;
    while (rows.next()) {
        auto product = std::make_shared<RenderedProduct>();
        product->supplierId = supplierId;
        product->id = rows.integer(column::Id);
        product->changeSeq = rows.integer(RowChangeSeq);
        product->marketplaceSeq = rows.integer(MarketplaceSeq);
        product->fields = fieldsOf(rows, images != nullptr, include.description);
        product->deletedAt = timeOrNull(rows, DeletedAt);
        minOrderQtys.push_back(rows.integer(column::MinOrderQty));
        products.push_back(std::move(product));
    }
    if (include.images)
        appendImages(session, images, products);
    if (include.variants)
        appendVariants(session, wanted, products, minOrderQtys);
    return {products.begin(), products.end()};
}

} // namespace supplierd::catalog
