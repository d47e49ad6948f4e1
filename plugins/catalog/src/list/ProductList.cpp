#include "list/ProductList.h"

#include "index/DatabaseCatalog.h"
#include "list/DeltaPlace.h"
#include "list/SearchTerm.h"

#include <supplierd/Cursor.h>
#include <supplierd/EntityTag.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>
#include <utility>

namespace supplierd::catalog {

namespace {

constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
/// So often a list is made again because its products changed before they were read; then others wait for it.
constexpr int ATTEMPTS = 4;
/// So long a list waits for its products to be loaded into memory. The plain one, which the database can answer, waits
/// until some 100,000 are loaded.
constexpr std::chrono::milliseconds PATIENCE{20'000};
constexpr std::chrono::milliseconds LITTLE_PATIENCE{400};
/// A node of a cluster may show a commit some moments before the one that is asked here.
constexpr std::chrono::milliseconds COMMIT_DEADLINE{500};
constexpr std::chrono::milliseconds COMMIT_PAUSE{5};
constexpr int SEARCHES = 1'000;
constexpr std::size_t BYTES_OF_A_PRODUCT = 400;

constexpr const char* BEGIN_COPY =
    "deletions since then are no longer known: begin anew with changed_after=0, and drop what does not come";
constexpr const char* BEGIN_WALK = "deletions since the walk began are no longer known: begin anew without a cursor";

constexpr std::string_view FROM_DATABASE_HELP = "Lists that the database answered, by why memory could not";

[[noreturn]] void throwTooOld(const std::string& field, const std::string& message) {
    throw ApiError::validation({{field, "too_old", message}});
}

} // namespace

ListSources::ListSources(const CatalogCache::Dependencies& dependencies)
    : changes(dependencies.changes),
      memory(dependencies.memory),
      indexes(dependencies),
      rendered(dependencies.memory, dependencies.metrics),
      weights(SEARCHES),
      whileLoading(
          dependencies.metrics.counter("lists_from_database_total", FROM_DATABASE_HELP, {{"reason", "loading"}})),
      tooLarge(
          dependencies.metrics.counter("lists_from_database_total", FROM_DATABASE_HELP, {{"reason", "too_large"}})) {}

SupplierTurns::Turn SupplierTurns::tryTake(std::int64_t supplierId) {
    const std::lock_guard lock(_mutex);
    if (!_taken.insert(supplierId).second)
        return nullptr;
    return {this, [this, supplierId](void*) {
                const std::lock_guard leaving(_mutex);
                _taken.erase(supplierId);
            }};
}

ProductList::ProductList(Request& request, ListSources& sources)
    : _request(request),
      _sources(sources),
      _supplierId(request.principal().supplierId),
      _query(ListQuery::read(request.query(), request.rawQuery(), _supplierId)),
      _filter(_query.filters.indexFilter()) {}

Response ProductList::respond() {
    if (!_query.filters.search.empty())
        _filter.searchWeights = searchWeights();
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        const CommittedNumbers committed = this->committed();
        const std::string tag = entityTag(committed.supplier, committed.marketplace);
        if (const auto known = _request.header("If-None-Match"); known && namesTagWeakly(*known, tag))
            return Response::notModified()
                .addHeader("ETag", tag)
                .addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(committed.supplier));
        auto found = _sources.indexes.find(_supplierId, committed.supplier, isPlain() ? LITTLE_PATIENCE : PATIENCE);
        if (!found.index && found.absence == CatalogCache::Absence::Loading && isPlain()) {
            // Its total counts all products: many such lists would keep the database from the loading.
            if (const auto turn = _sources.whileLoadingTurns.tryTake(_supplierId)) {
                _sources.whileLoading.add();
                return respondFromDatabase(committed.marketplace);
            }
            found = _sources.indexes.find(_supplierId, committed.supplier, PATIENCE);
        }
        if (!found.index && found.absence == CatalogCache::Absence::Loading)
            throw ApiError::unavailable("The products are being loaded, try again in a moment");
        if (!found.index) {
            _sources.tooLarge.add();
            return respondFromDatabase(committed.marketplace);
        }
        if (auto response = respondFromMemory(*found.index, committed.marketplace))
            return *std::move(response);
    }
    return respondPinned();
}

CommittedNumbers ProductList::committed() {
    CommittedNumbers committed = _request.database().committed(_supplierId);
    const std::int64_t shown = _query.cursor ? std::max(_query.cursor->shownSeq, _query.cursor->startSeq) : 0;
    for (auto waited = COMMIT_PAUSE; committed.supplier < shown; waited += COMMIT_PAUSE) {
        if (waited > COMMIT_DEADLINE)
            throw ApiError::unavailable("This server does not see yet what the page before showed, please try again")
                .withRetryAfter(1);
        std::this_thread::sleep_for(COMMIT_PAUSE);
        committed = _request.database().committed(_supplierId);
    }
    return committed;
}

std::vector<std::string> ProductList::searchWeights() {
    if (const auto kept = _sources.weights.get(_query.filters.search))
        return *kept;
    auto weights =
        _request.database().read([&](SqlSession& session) { return searchWeightsOf(session, _query.filters.search); });
    _sources.weights.update(_query.filters.search, weights);
    return weights;
}

/// One that the database finds in the order of the products themselves.
bool ProductList::isPlain() const {
    const bool isWalk = _query.changedAfter || (_query.cursor && _query.cursor->phase != Cursor::Phase::Order);
    return _query.sort.key == SortKey::Id && _query.filters.areNone() && !isWalk;
}

IndexOrder ProductList::order() const {
    return {static_cast<OrderBy>(_query.sort.key), _query.sort.descending};
}

std::optional<Response> ProductList::respondFromMemory(const CatalogView& index, std::int64_t marketplaceSeq) {
    const auto selection = select(index);
    if (!selection)
        return std::nullopt;
    const auto products = productsOf(*selection, marketplaceSeq, [&](const Ids& ids) {
        Products read;
        const auto work = [&](SqlSession& session) { read = readWithin(session, ids); };
        if (_query.include.any())
            _request.database().withSnapshot(work);
        else
            _request.database().withSession(work);
        return read;
    });
    return products ? std::optional(write(*selection, *products, marketplaceSeq)) : std::nullopt;
}

Response ProductList::respondFromDatabase(std::int64_t marketplaceSeq) {
    auto response = _request.database().snapshot([&](SqlSession& snapshot) {
        return respondWithin(snapshot, DatabaseCatalog(snapshot, _sources.changes, _supplierId, _query.filters),
                             marketplaceSeq);
    });
    if (!response)
        throw ApiError::unavailable("The products changed while they were read, try again in a moment");
    return *std::move(response);
}

/// Of a catalog that changes faster than its products are read: nobody brings the index up to date meanwhile. If the
/// index is not what the database has, the database answers.
Response ProductList::respondPinned() {
    const std::int64_t marketplaceSeq = _request.database().committed(_supplierId).marketplace;
    std::optional<Response> response;
    const bool isRight = _sources.indexes.withPinned(_supplierId, [&](SqlSession& snapshot, const CatalogIndex& index) {
        response = respondWithin(snapshot, index, marketplaceSeq);
        return response.has_value();
    });
    return isRight ? *std::move(response) : respondFromDatabase(marketplaceSeq);
}

std::optional<Response> ProductList::respondWithin(SqlSession& snapshot, const CatalogView& view,
                                                   std::int64_t marketplaceSeq) {
    const auto selection = select(view);
    const auto products =
        selection ? productsOf(*selection, marketplaceSeq, [&](const Ids& ids) { return readWithin(snapshot, ids); })
                  : std::nullopt;
    return products ? std::optional(write(*selection, *products, marketplaceSeq)) : std::nullopt;
}

ProductList::Products ProductList::readWithin(SqlSession& session, const Ids& ids) const {
    return readListedProducts(session, _sources.images, _supplierId, ids, _query.include);
}

std::optional<ProductList::Products> ProductList::productsOf(const Selection& selection, std::int64_t marketplaceSeq,
                                                             const ReadProducts& read) const {
    const auto& items = selection.page.items;
    Products products(items.size());
    std::map<std::int64_t, std::size_t> missing;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!_query.include.any())
            products[i] = _sources.rendered.find(_supplierId, items[i].id, items[i].changeSeq, marketplaceSeq);
        if (!products[i])
            missing.emplace(items[i].id, i);
    }
    if (missing.empty())
        return products;
    Ids ids;
    for (const auto& [id, place] : missing)
        ids.push_back(id);
    for (auto& product : read(ids)) {
        if (!_query.include.any())
            _sources.rendered.keep(product);
        const std::size_t place = missing.at(product->id);
        if (product->changeSeq == items[place].changeSeq)
            products[place] = std::move(product);
    }
    const bool areWhole =
        std::all_of(products.begin(), products.end(), [](const auto& product) { return product != nullptr; });
    return areWhole ? std::optional(std::move(products)) : std::nullopt;
}

Response ProductList::write(const Selection& selection, const Products& products, std::int64_t marketplaceSeq) {
    Response response = _request.reply();
    response.data.reserve((products.size() + 1) * BYTES_OF_A_PRODUCT);
    JsonWriter json(response.data);
    json.beginObject().key("products").beginArray();
    for (const auto& product : products) {
        json.beginObject().raw(product->fields);
        if (selection.lastSeq)
            json.field("change_seq", product->changeSeq);
        if (_query.filters.includeDeleted)
            json.key("deleted_at").raw(product->deletedAt);
        json.endObject();
    }
    json.endArray();
    const std::int64_t perPage = _query.page.perPage;
    const std::int64_t total = selection.page.total;
    json.key("pagination").beginObject();
    json.field("current_page", _query.cursor ? _query.cursor->pageNumber(perPage) : _query.page.number);
    json.field("total_pages", (total + perPage - 1) / perPage).field("total_items", total).field("per_page", perPage);
    json.key("next_cursor");
    if (selection.next)
        json.value(selection.next->encode());
    else
        json.null();
    if (selection.lastSeq)
        json.field("last_change_seq", *selection.lastSeq).field("has_more", selection.next.has_value());
    json.endObject().endObject();
    response.addHeader("ETag", entityTag(selection.page.changeSeq, marketplaceSeq));
    response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(selection.page.changeSeq));
    return response;
}

std::optional<ProductList::Selection> ProductList::select(const CatalogView& view) const {
    if (_query.changedAfter || (_query.cursor && _query.cursor->phase == Cursor::Phase::Delta))
        return selectChanges(view);
    if (!_query.cursor)
        return selectPage(view);
    // At its end it tells what was deleted since it began.
    if (_query.filters.includeDeleted && _query.cursor->startSeq < view.logBegin())
        throwTooOld("cursor", BEGIN_WALK);
    return _query.cursor->phase == Cursor::Phase::Order ? selectWalk(view) : selectLateChanges(view);
}

ProductList::Selection ProductList::selectPage(const CatalogView& view) const {
    Selection selection{view.page(_filter, order(), static_cast<std::size_t>(offset()), limit())};
    if (selection.page.hasMore)
        selection.next = nextInOrder(selection.page, selection.page.changeSeq);
    return selection;
}

ProductList::Selection ProductList::selectWalk(const CatalogView& view) const {
    const Cursor& cursor = *_query.cursor;
    Selection selection{view.pageAfter(_filter, order(), cursor.last, limit())};
    const IndexedPage& page = selection.page;
    if (page.hasMore) {
        selection.next = nextInOrder(page, cursor.startSeq);
    } else if (page.changeSeq > cursor.startSeq) {
        // The list's order has come to its end: how far the products that were changed meanwhile go is settled now.
        selection.next =
            nextCursor(wholePages(cursor.position + static_cast<std::int64_t>(page.items.size())), page.changeSeq);
        selection.next->phase = Cursor::Phase::LateChanges;
        selection.next->startSeq = cursor.startSeq;
        selection.next->endId = view.greatestId();
    }
    return selection;
}

ProductList::Selection ProductList::selectLateChanges(const CatalogView& view) const {
    const Cursor& cursor = *_query.cursor;
    Selection selection{view.changedSince(_filter, cursor.startSeq, cursor.last.id, cursor.endId, limit())};
    if (selection.page.hasMore) {
        selection.next = cursor;
        selection.next->shownSeq = selection.page.changeSeq;
        selection.next->position += static_cast<std::int64_t>(selection.page.items.size());
        selection.next->last.id = selection.page.items.back().id;
    }
    return selection;
}

/// A change that does not fit is left out as a whole, unless it is the first.
std::optional<ProductList::Selection> ProductList::selectChanges(const CatalogView& view) const {
    const std::int64_t asOf = view.changeSeq();
    DeltaPlace place = DeltaPlace::of(_query, _filter, view);
    if (!place.isTold(view)) {
        if (view.changeSeq() != asOf)
            return std::nullopt;
        throwTooOld(_query.cursor ? "cursor" : "changed_after", BEGIN_COPY);
    }
    Selection selection{
        view.pageAfter(_filter, {OrderBy::ChangeSeq, false}, {place.after.seq, {}, place.after.id}, limit() + 1)};
    auto& items = selection.page.items;
    selection.lastSeq = selection.page.changeSeq;
    if (items.size() <= limit())
        return selection.page.changeSeq == asOf ? std::optional(std::move(selection)) : std::nullopt;
    const std::int64_t cutSeq = items.back().changeSeq;
    items.pop_back();
    const auto begin = std::find_if(items.begin(), items.end(),
                                    [&](const IndexedPage::Item& item) { return item.changeSeq == cutSeq; });
    if (begin == items.begin()) {
        place.after = {cutSeq, items.back().id};
    } else {
        items.erase(begin, items.end());
        place.after = {items.back().changeSeq, DeltaPlace::END};
    }
    if (place.after.seq > place.copyOf)
        place.copyOf = 0; // all of the copy has come: from here on it is as any other
    selection.lastSeq = place.number(_filter, view);
    selection.next = nextInDelta(selection.page, place);
    return selection.page.changeSeq == asOf && view.changeSeq() == asOf ? std::optional(std::move(selection))
                                                                        : std::nullopt;
}

std::size_t ProductList::limit() const {
    return static_cast<std::size_t>(_query.page.perPage);
}

/// Of the page by number; a number that would overflow is past every end.
std::int64_t ProductList::offset() const {
    return _query.page.number - 1 > LAST / 2 / _query.page.perPage ? LAST / 2 : _query.page.offset();
}

std::int64_t ProductList::wholePages(std::int64_t position) const {
    const std::int64_t perPage = _query.page.perPage;
    return (position + perPage - 1) / perPage * perPage;
}

Cursor ProductList::nextCursor(std::int64_t position, std::int64_t shownSeq) const {
    Cursor next;
    next.sort = _query.sort;
    next.fingerprint = _query.filters.fingerprint(_supplierId, _query.sort);
    next.position = position;
    next.shownSeq = shownSeq;
    return next;
}

Cursor ProductList::nextInOrder(const IndexedPage& page, std::int64_t startSeq) const {
    const std::int64_t position = _query.cursor ? _query.cursor->position : offset();
    Cursor next = nextCursor(position + static_cast<std::int64_t>(page.items.size()), page.changeSeq);
    next.startSeq = startSeq;
    next.last = page.last;
    return next;
}

Cursor ProductList::nextInDelta(const IndexedPage& page, const DeltaPlace& last) const {
    const std::int64_t position = _query.cursor ? _query.cursor->position : 0;
    Cursor next = nextCursor(wholePages(position + static_cast<std::int64_t>(page.items.size())), page.changeSeq);
    next.phase = Cursor::Phase::Delta;
    next.startSeq = last.copyOf;
    next.last = {last.after.seq, {}, last.after.id};
    return next;
}

/// Of the page as it is under these numbers.
std::string ProductList::entityTag(std::int64_t changeSeq, std::int64_t marketplaceSeq) const {
    ListFingerprint print;
    print.add(static_cast<std::int64_t>(_query.filters.fingerprint(_supplierId, _query.sort)));
    for (const std::int64_t number : {_query.page.number, _query.page.perPage, _query.changedAfter.value_or(-1)})
        print.add(number);
    print.add(_query.cursor ? _query.cursor->encode() : "");
    print.add(_query.include.number());
    return "W/\"" + std::to_string(changeSeq) + '-' + std::to_string(marketplaceSeq) + '-' +
           std::to_string(print.value()) + '"';
}

} // namespace supplierd::catalog
