#pragma once

#include "ListQuery.h"
#include "ListStatement.h"

#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::orders {

/// GET /orders, and the platform's GET /order-groups. One statement for a page; beyond the first thousand groups the
/// total first says which end is nearer. Made per request.
class OrderList {
public:
    /// Throws ApiError (Validation) with every problem of the query.
    OrderList(Request& request, Mover viewer);

    Response answer();

private:
    /// What the pagination needs of the rows written.
    struct Written {
        std::int64_t count = 0;
        std::int64_t matches = 0;
        std::int64_t lastId = 0;
        std::string lastCreated;
        bool hasMore = false;
    };

    /// Each returns false when it needs a second statement and is not in a snapshot: what it wrote is no answer then.
    bool writePage(SqlSession& session, std::string& out) const;
    bool writeDeepPage(SqlSession& session, std::string& out) const;
    bool writeWalk(SqlSession& session, std::string& out) const;

    Written writeRows(SqlSession& session, const ListWindow& window, ListStatement::Matches matches,
                      JsonWriter& json) const;
    void writeOne(const Rows& row, JsonWriter& json) const;
    std::int64_t readTotal(SqlSession& session) const;
    /// `next`: there is a page behind these rows.
    void finish(JsonWriter& json, const Written& rows, std::int64_t total, bool next) const;

    Request& _request;
    bool _isPlatforms;
    bool _inSnapshot = false;
    ListQuery _query;
};

} // namespace supplierd::orders
