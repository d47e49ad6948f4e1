#pragma once

#include <supplierd/Database.h>
#include <supplierd/Decimal.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Query.h>
#include <supplierd/services/Accounts.h>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::orders {

/// Order groups of all suppliers in one currency that were created on one day, without those that were cancelled.
struct OrderDay {
    std::string date; ///< "2026-11-20"
    std::string currency;
    std::int64_t orders = 0;
    Decimal total;
};

/// What one supplier sold in these days, in one currency.
struct OrderSeller {
    std::int64_t supplierId = 0;
    std::string name;
    std::string currency;
    std::int64_t orders = 0;
    Decimal total;
};

/// The last days, without those of sandboxes. Days without an order are left out.
struct OrderDays {
    /// Read at most, so that the answer takes a moment however much is sold.
    static constexpr std::int64_t MOST = 50'000;

    /// Of the suppliers, those that are named.
    static constexpr std::size_t MOST_SELLERS = 20;

    std::vector<OrderDay> days; ///< oldest first
    /// Those who sold for the largest amounts, the largest first.
    std::vector<OrderSeller> sellers;
    /// How many suppliers have one of these order groups.
    std::int64_t suppliers = 0;
    /// True: only the newest MOST order groups were read.
    bool isCapped = false;

    /// `query`: that of `GET /api/v1/platform/order-days`. Throws ApiError (Validation) with every problem of the
    /// query.
    static OrderDays read(Database& database, const QueryParameters& query, Accounts& accounts);
};

void writeJson(JsonWriter& json, const OrderDays& days);

} // namespace supplierd::orders
