#pragma once

#include "PlatformListStatement.h"

#include <supplierd/Request.h>

#include <cstdint>

namespace supplierd::catalog {

/// The platform's product list: every supplier's, newest first. One statement for a page; the total before it only
/// where it says from which end a deep page is nearer. Made per request.
class PlatformList {
public:
    /// Throws ApiError (Validation) with every problem of the query.
    PlatformList(Request& request, bool withImages);

    Response answer();

private:
    struct Written {
        std::int64_t count = 0;
        std::int64_t lastId = 0;
        std::int64_t total = 0;
        bool hasMore = false;
    };

    /// Writes at most `limit` products; one row more only says that there are more.
    Written writeRows(SqlSession& session, const PlatformListStatement& statement, std::int64_t limit,
                      JsonWriter& json) const;
    Written writeFirstPages(SqlSession& session, JsonWriter& json) const;
    Written writeDeepPage(SqlSession& session, JsonWriter& json) const;
    Written writeWalk(SqlSession& session, JsonWriter& json) const;
    std::int64_t readTotal(SqlSession& session) const;
    std::int64_t offset() const;
    void writePagination(JsonWriter& json, const Written& written) const;

    Request& _request;
    bool _withImages;
    PlatformListQuery _query;
};

} // namespace supplierd::catalog
