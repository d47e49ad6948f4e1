#pragma once

#include "exports/TextStream.h"
#include "text/CsvStyle.h"

#include <supplierd/Query.h>
#include <supplierd/services/Orders.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::csv {

/// A supplier's order groups as a file for spreadsheets, newest first: a line for each item.
class OrderExport final : public TextStream {
public:
    /// `query`: the filters of GET /orders; the others of its parameters are `unsupported`. What it is made with
    /// outlives it. Reads the first page: throws ApiError (Validation) with every problem of the query.
    OrderExport(Database& database, Orders& orders, std::int64_t supplierId, const QueryParameters& query,
                CsvStyle style);

private:
    bool append(std::string& text) override;
    void readPage();

    Database& _database;
    Orders& _orders;
    std::int64_t _supplierId;
    QueryParameters _query;
    CsvStyle _style;
    bool _hasHeading = false;
    std::vector<OrderGroupSummary> _page;
    std::size_t _at = 0;
    std::optional<std::string> _cursor;
};

} // namespace supplierd::csv
