#pragma once

#include "index/CatalogCache.h"
#include "index/MemoryCheck.h"
#include "index/RenderedProducts.h"
#include "list/DeltaPlace.h"
#include "list/ListQuery.h"
#include "list/ListedProducts.h"

#include <supplierd/Metrics.h>
#include <supplierd/Request.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/ChangeLog.h>

#include <Poco/LRUCache.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// Lets one request of a supplier at a time do something. Thread: any.
class SupplierTurns {
public:
    /// Ends with its destructor. Lifetime: not longer than the turns'.
    using Turn = std::unique_ptr<void, std::function<void(void*)>>;

    /// Null when another request has it.
    Turn tryTake(std::int64_t supplierId);

private:
    std::mutex _mutex;
    std::set<std::int64_t> _taken;
};

/// What all lists share. Thread: any.
struct ListSources {
    explicit ListSources(const CatalogCache::Dependencies& dependencies);

    ChangeLog& changes;
    CacheMemory& memory;
    CatalogCache indexes;
    RenderedProducts rendered;
    ImageIngest* images = nullptr;
    /// Who is answered by the database while his products are loaded.
    SupplierTurns whileLoadingTurns;
    /// What people search for, as the database compares it.
    Poco::LRUCache<std::string, std::vector<std::string>> weights;
    Counter& whileLoading;
    Counter& tooLarge;
};

/// GET /products, from memory: first the number of the supplier's last commit is asked for, then nothing older is
/// shown. Made per request.
class ProductList {
public:
    /// Throws ApiError (Validation) with every problem of the query.
    ProductList(Request& request, ListSources& sources);

    /// Throws DatabaseError; ApiError (Unavailable) when the products are not in memory yet.
    Response respond();

private:
    /// Products of one page, and where to go on.
    struct Selection {
        IndexedPage page;
        std::optional<Cursor> next = std::nullopt;
        /// With changed_after: where to go on.
        std::optional<std::int64_t> lastSeq = std::nullopt;
    };
    using Ids = std::vector<std::int64_t>;
    using Products = std::vector<std::shared_ptr<const RenderedProduct>>;
    using ReadProducts = std::function<Products(const Ids& ids)>;

    /// Waits for what the page before has shown. Throws ApiError (Unavailable) when it does not come.
    CommittedNumbers committed();
    std::vector<std::string> searchWeights();
    bool isPlain() const;
    IndexOrder order() const;

    std::optional<Response> respondFromMemory(const CatalogView& index, std::int64_t marketplaceSeq);
    Response respondFromDatabase(std::int64_t marketplaceSeq);
    Response respondPinned();
    /// Nothing when the view does not show what the snapshot does.
    std::optional<Response> respondWithin(SqlSession& snapshot, const CatalogView& view, std::int64_t marketplaceSeq);
    Products readWithin(SqlSession& session, const Ids& ids) const;
    /// Nothing when one of them is not any more what the selection says.
    std::optional<Products> productsOf(const Selection& selection, std::int64_t marketplaceSeq,
                                       const ReadProducts& read) const;
    Response write(const Selection& selection, const Products& products, std::int64_t marketplaceSeq);

    /// Nothing when the view moved on between two looks at it.
    std::optional<Selection> select(const CatalogView& view) const;
    Selection selectPage(const CatalogView& view) const;
    Selection selectWalk(const CatalogView& view) const;
    Selection selectLateChanges(const CatalogView& view) const;
    std::optional<Selection> selectChanges(const CatalogView& view) const;

    std::size_t limit() const;
    std::int64_t offset() const;
    /// Rounded up.
    std::int64_t wholePages(std::int64_t position) const;
    Cursor nextCursor(std::int64_t position, std::int64_t shownSeq) const;
    Cursor nextInOrder(const IndexedPage& page, std::int64_t startSeq) const;
    Cursor nextInDelta(const IndexedPage& page, const DeltaPlace& last) const;
    std::string entityTag(std::int64_t changeSeq, std::int64_t marketplaceSeq) const;

    Request& _request;
    ListSources& _sources;
    std::int64_t _supplierId;
    ListQuery _query;
    IndexFilter _filter;
};

} // namespace supplierd::catalog
