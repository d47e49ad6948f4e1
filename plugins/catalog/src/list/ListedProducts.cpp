#include "list/ListedProducts.h"

#include "ProductJson.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/internal/CategoryJoin.h>
#include <supplierd/internal/LastChange.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ChangeLog.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::catalog {

namespace {

/// Behind the columns that are shown.
enum : std::size_t { RowChangeSeq, DeletedAt, MarketplaceSeq, DescriptionText };

constexpr std::string_view FURTHER = ", p.change_seq, p.deleted_at, ";
constexpr std::string_view DESCRIPTION = ", p.description";
constexpr std::string_view FROM = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id)";
constexpr std::string_view OF_SUPPLIER = R"(
WHERE p.supplier_id = ?)";

std::string timeOrNull(const Rows& row, std::size_t column) {
    return row.isNull(column) ? "null" : '"' + row.time(column) + '"';
}

} // namespace

std::vector<std::shared_ptr<const RenderedProduct>> readListedProducts(SqlSession& session, ImageIngest* images,
                                                                       std::int64_t supplierId,
                                                                       std::span<const std::int64_t> ids,
                                                                       ListInclusions include) {
    static const auto statement = [](Extent extent, std::string_view more) {
        return "SELECT " + shownColumns(extent) +
               std::string(FURTHER)
                   .append(LAST_CHANGE)
                   .append(more)
                   .append(FROM)
                   .append(JOIN_CATEGORY)
                   .append(OF_SUPPLIER);
    };
    static const std::array STATEMENTS{statement(Extent::List, {}), statement(Extent::List, DESCRIPTION),
                                       statement(Extent::ListWithApproval, {}),
                                       statement(Extent::ListWithApproval, DESCRIPTION)};
    const Extent extent = include.approval ? Extent::ListWithApproval : Extent::List;
    const std::string& sql = STATEMENTS.at((include.approval ? 2U : 0U) + (include.description ? 1U : 0U));
    const std::size_t end = endOfColumns(extent);
    const std::string wanted = jsonArray(ids);
    std::vector<std::shared_ptr<RenderedProduct>> products;
    products.reserve(ids.size());
    Rows& rows = session.query(sql, {MARKETPLACE, wanted, supplierId});
    std::vector<std::int64_t> found;
    std::vector<std::int64_t> minOrderQtys;
    while (rows.next()) {
        auto product = std::make_shared<RenderedProduct>();
        product->supplierId = supplierId;
        product->id = rows.integer(column::Id);
        product->changeSeq = rows.integer(end + RowChangeSeq);
        product->marketplaceSeq = rows.integer(end + MarketplaceSeq);
        JsonWriter json(product->fields);
        writeShown(json, rows, extent, images != nullptr);
        if (include.description)
            json.field("description", rows.maybeText(end + DescriptionText));
        product->deletedAt = timeOrNull(rows, end + DeletedAt);
        found.push_back(product->id);
        minOrderQtys.push_back(rows.integer(column::MinOrderQty));
        products.push_back(std::move(product));
    }
    const auto append = [&products](std::string_view name, const std::vector<std::string>& arrays) {
        for (std::size_t i = 0; i < arrays.size(); ++i)
            products[i]->fields.append(name).append(arrays[i]);
    };
    if (include.images)
        append(R"(,"images":)", imageArrays(session, images, found));
    if (include.variants)
        append(R"(,"variants":)", variantArrays(session, found, minOrderQtys));
    return {products.begin(), products.end()};
}

} // namespace supplierd::catalog
