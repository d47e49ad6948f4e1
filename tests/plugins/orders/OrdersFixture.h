#pragma once

#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Of the operator whom all tests of a program share.
const std::string& operatorKey();
/// A connection of its own with that key.
HttpClient operatorClient();

/// The body of an order that is in order, under a number of its own, with `changes` merged into it.
Json orderBody(const Json& items, const Json& changes = Json::object());
/// `data.order` of what placing it gives; fails unless that is 201.
Json place(const Json& items, const Json& changes = Json::object());

/// Order groups of a supplier straight in the database, totals included: created one a second from 2026-01-01, moved
/// one a second from 2026-01-02, three of four pending and the others shipped. They have no items.
void fillWithGroups(std::int64_t supplier, int count);

std::int64_t stockOf(std::int64_t product);

/// A supplier with products, and its orders.
class OrdersClient : public SupplierClient {
public:
    explicit OrdersClient(const SupplierOptions& options = {}) : SupplierClient(options) {}

    /// An active, approved product straight in the database, totals included; further columns as SQL literals.
    std::int64_t product(std::int64_t stock, const std::string& price = "1.25",
                         const std::map<std::string, std::string>& columns = {});

    /// Places an order of that many of one product; the id of its group.
    std::int64_t sell(std::int64_t product, std::int64_t quantity);
    /// A group of one product in that state: placed, and then moved there one by one.
    std::int64_t groupIn(const std::string& status, std::int64_t product, std::int64_t quantity = 1);

    /// POST /orders/{id}/status.
    HttpResponse move(std::int64_t group, const std::string& status, const Json& more = Json::object());
    /// `data.order` of GET /orders/{id}; fails unless that is 200.
    Json order(std::int64_t group);
    /// `data` of GET /orders with that query; fails unless that is 200.
    Json orders(const std::string& query = {});
    std::vector<std::int64_t> orderIds(const std::string& query = {});
};

} // namespace supplierd::tests
