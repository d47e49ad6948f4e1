#pragma once

#include "ListQuery.h"
#include "ProductRows.h"

#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::catalog {

/// GET /products. One statement for a page wherever counters know the total; a small one before it where the answer
/// depends on how far the catalogue has come. Made per request.
class ProductList {
public:
    /// Throws ApiError (Validation) with every problem of the query.
    ProductList(Request& request, bool withImages);

    Response answer();

private:
    /// How far the supplier's catalogue has come, and how long the list is.
    struct Head {
        std::int64_t seq = 0;
        std::int64_t total = 0;
    };
    struct Tail {
        Head head;
        std::optional<Cursor> next = std::nullopt;
        /// With changed_after: where to go on.
        std::optional<std::int64_t> lastSeq = std::nullopt;
    };
    /// In the order of changes: a change's number, and the last product of it that was told.
    struct ChangePosition {
        std::int64_t seq = 0;
        std::int64_t id = 0;
    };

    bool isOneStatement() const;
    /// False when it needs a second statement and is not in a snapshot: what it wrote is no answer then.
    bool writeOne(SqlSession& session, std::string& out);
    void write(SqlSession& session, std::string& out);
    bool writePage(SqlSession& session, std::string& out);
    /// The total first: a page past it is not sought, one past the middle is sought from the end.
    void writeKnownPage(SqlSession& session, std::string& out);
    bool writeWalk(SqlSession& session, std::string& out);
    void writeLateChanges(SqlSession& session, std::string& out);
    ChangePosition afterNumber(SqlSession& session, std::int64_t number) const;
    void writeChanges(SqlSession& session, ChangePosition after, std::string& out);
    /// What the rows left of their one change, as a number to go on from.
    std::int64_t placeWithin(SqlSession& session, const ProductRows& rows) const;

    Head readHead(SqlSession& session, bool withTotal) const;
    ProductRows::Shape shape(std::int64_t limit) const;
    std::int64_t offset() const;
    /// Rounded up.
    std::int64_t wholePages(std::int64_t position) const;
    Cursor nextCursor(std::int64_t position) const;
    Cursor nextInOrder(const ProductRows& rows, std::int64_t startSeq, std::int64_t total) const;
    /// The list's order has come to its end: how far the products that were changed meanwhile go is settled now.
    Cursor firstOfLateChanges(SqlSession& session, std::int64_t position, std::int64_t total) const;
    Cursor nextInDelta(std::int64_t count, ChangePosition last) const;
    void finish(JsonWriter& json, const Tail& tail) const;

    Request& _request;
    std::int64_t _supplierId;
    bool _withImages;
    bool _inSnapshot = false;
    ListQuery _query;
};

} // namespace supplierd::catalog
