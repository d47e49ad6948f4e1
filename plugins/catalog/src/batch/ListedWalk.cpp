#include "batch/ListedWalk.h"

#include "ProductJson.h"
#include "index/DatabaseCatalog.h"
#include "list/SearchTerm.h"

#include <supplierd/Cursor.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/internal/CategoryJoin.h>
#include <supplierd/services/CategoryTree.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

namespace supplierd::catalog {

namespace {

constexpr std::chrono::milliseconds PATIENCE_OF_WALKS{20'000};

constexpr std::string_view OF_WALK = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY) ON p.supplier_id = ? AND p.deleted = 0 AND p.id = t.id)";

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

std::vector<std::int64_t> listedIds(const CatalogView& view, const ListQuery& query, const IndexFilter& filter) {
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
    const CommittedNumbers committed = database.committed(supplierId);
    const auto found = sources.indexes.find(supplierId, committed.supplier, PATIENCE_OF_WALKS);
    std::vector<std::int64_t> ids;
    if (found.index)
        ids = listedIds(*found.index, query, filter);
    else if (found.absence == CatalogCache::Absence::Loading)
        throw ApiError::unavailable("The products are being loaded, try again in a moment");
    else
        ids = database.snapshot([&](SqlSession& snapshot) {
            return listedIds(DatabaseCatalog(snapshot, sources.changes, supplierId, query.filters), query, filter);
        });
    return std::make_unique<ListedWalk>(database, sources.images, supplierId, std::move(ids));
}

std::vector<ProductRecord> ListedWalk::next(std::size_t limit) {
    std::vector<ProductRecord> products;
    while (products.empty() && _at < _ids.size()) {
        const std::size_t count = std::min(limit, _ids.size() - _at);
        products = read(std::span(_ids).subspan(_at, count));
        _at += count;
    }
    return products;
}

std::vector<ProductRecord> ListedWalk::read(std::span<const std::int64_t> ids) {
    static const std::string SQL = "SELECT " + shownColumns(Extent::Whole) + std::string(OF_WALK).append(JOIN_CATEGORY);
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < ids.size(); ++i)
        places.emplace(ids[i], i);
    std::vector<ProductRecord> found(ids.size());
    std::vector<std::int64_t> minOrderQtys(ids.size());
    _database.withSession([&](SqlSession& session) {
        Rows& rows = session.query(SQL, {jsonArray(ids), _supplierId});
        while (rows.next()) {
            const std::size_t place = places.at(rows.integer(column::Id));
            found[place] = {.id = ids[place], .supplierId = _supplierId};
            minOrderQtys[place] = rows.integer(column::MinOrderQty);
            JsonWriter json(found[place].json);
            json.beginObject();
            writeShown(json, rows, Extent::Whole, _images != nullptr);
        }
        const auto images = imageArrays(session, _images, ids);
        const auto variants = variantArrays(session, ids, minOrderQtys);
        for (std::size_t i = 0; i < ids.size(); ++i)
            found[i].json.append(R"(,"images":)").append(images[i]).append(R"(,"variants":)").append(variants[i]) +=
                '}';
    });
    std::erase_if(found, [](const ProductRecord& product) { return product.id == 0; });
    return found;
}

} // namespace supplierd::catalog
