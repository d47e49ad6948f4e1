#include "batch/ListedWalk.h"

#include "ProductJson.h"
#include "ProductReader.h"
#include "index/CatalogueReader.h"
#include "index/DatabaseCatalogue.h"
#include "list/SearchTerm.h"

#include <supplierd/Cursor.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/services/CategoryTree.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

namespace supplierd::catalog {

namespace {

constexpr std::chrono::milliseconds PATIENCE_OF_WALKS{20'000};

// Begins like the lists' statements, so that readSummary() can read it.
constexpr std::string_view SELECT_WALKED = R"(
SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit, p.is_active, p.approval, p.base_price, p.name,
    p.sku, c.name, p.primary_image, p.description, p.color, p.stem_length, p.country_of_origin, p.vat_rate,
    p.approval_reason, p.created_at, p.updated_at, p.version
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY) ON p.supplier_id = ? AND p.deleted = 0 AND p.id = t.id)";

// As readVariant() reads them.
constexpr std::string_view SELECT_WALKED_VARIANTS = R"(
SELECT STRAIGHT_JOIN v.product_id, v.id, v.sku, v.name, v.color, v.stem_length, v.base_price, v.stock_qty, v.is_active
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
JOIN product_variants v FORCE INDEX (product_variants_product) ON v.product_id = t.id
ORDER BY v.product_id, v.id)";

/// An export has all products of its list, as they are.
void refusePaging(const QueryParameters& parameters, Details& details) {
    QueryReader reader(parameters, details);
    for (const std::string_view name : {"page", "per_page", "cursor", "changed_after", "include_deleted"})
        if (reader.has(name))
            details.add(std::string(name), "unsupported", std::string(name) + " cannot be used here");
}

ListQuery walkQuery(std::string_view rawQuery, std::int64_t supplierId) {
    Details details;
    const QueryParameters parameters = parseQuery(rawQuery, details);
    refusePaging(parameters, details);
    details.throwIfAny();
    return ListQuery::read(parameters, rawQuery, supplierId);
}

std::vector<std::int64_t> listedIds(const CatalogueView& view, const ListQuery& query, const IndexFilter& filter) {
    constexpr std::size_t ALL = std::numeric_limits<std::int32_t>::max();
    const IndexOrder order{static_cast<OrderBy>(query.sort.key), query.sort.descending};
    const IndexedPage page = view.page(filter, order, 0, ALL);
    std::vector<std::int64_t> ids;
    ids.reserve(page.items.size());
    for (const IndexedPage::Item& item : page.items)
        ids.push_back(item.id);
    return ids;
}

} // namespace

std::unique_ptr<ProductWalk> ListedWalk::begin(Database& database, ListSources& sources, std::int64_t supplierId,
                                               std::string_view rawQuery) {
    const ListQuery query = walkQuery(rawQuery, supplierId);
    IndexFilter filter = query.filters.indexFilter();
    if (!query.filters.search.empty())
        filter.searchWeights =
            database.read([&](SqlSession& session) { return searchWeightsOf(session, query.filters.search); });
    const CommittedNumbers committed = sources.changes.now(supplierId);
    const auto found = sources.indexes.find(supplierId, committed.supplier, PATIENCE_OF_WALKS);
    std::vector<std::int64_t> ids;
    if (found.index)
        ids = listedIds(*found.index, query, filter);
    else if (found.absence == CatalogueCache::Absence::Loading)
        throw ApiError::unavailable("The products are being loaded, try again in a moment");
    else
        ids = database.snapshot([&](SqlSession& snapshot) {
            return listedIds(DatabaseCatalogue(snapshot, sources.changes, supplierId, query.filters), query, filter);
        });
    return std::make_unique<ListedWalk>(database, sources.images, supplierId, std::move(ids));
}

std::vector<ProductDetail> ListedWalk::next(std::size_t limit) {
    std::vector<ProductDetail> products;
    while (products.empty() && _at < _ids.size()) {
        const std::size_t count = std::min(limit, _ids.size() - _at);
        products = read(std::span(_ids).subspan(_at, count));
        _at += count;
    }
    return products;
}

std::vector<ProductDetail> ListedWalk::read(std::span<const std::int64_t> ids) {
    static const std::string SQL = std::string(SELECT_WALKED).append(JOIN_CATEGORY);
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < ids.size(); ++i)
        places.emplace(ids[i], i);
    const std::string wanted = jsonArray(ids);
    std::vector<ProductDetail> found(ids.size());
    _database.withSession([&](SqlSession& session) {
        Rows& rows = session.query(SQL, {wanted, _supplierId});
        while (rows.next()) {
            ProductDetail& product = found[places.at(rows.integer(column::Id))];
            product.supplierId = _supplierId;
            readSummary(rows, _images != nullptr, product);
            readDetail(rows, product);
        }
        Rows& variants = session.query(SELECT_WALKED_VARIANTS, {wanted});
        while (variants.next()) {
            ProductDetail& product = found[places.at(variants.integer(0))];
            product.variants.push_back(readVariant(variants, product.minOrderQty));
        }
        if (_images == nullptr)
            return;
        auto images = _images->imagesOfAll(session, ids);
        for (std::size_t i = 0; i < ids.size(); ++i)
            found[i].images = std::move(images[i]);
    });
    std::erase_if(found, [](const ProductDetail& product) { return product.id == 0; });
    return found;
}

} // namespace supplierd::catalog
