#pragma once

#include "OrdersWorld.h"
#include "tests/support/TestSupplier.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A supplier with a key and products, and what tests do as it.
class Trader : public TestSupplier {
public:
    explicit Trader(const std::string& name = "Kwekerij De Roos", const std::string& scopes = {});

    /// An active, approved product straight in the database, totals included; further columns as SQL literals.
    std::int64_t product(std::int64_t stock, const std::string& price = "1.25",
                         const std::map<std::string, std::string>& columns = {});
    std::int64_t variant(std::int64_t product, std::int64_t stock, const std::string& price = "NULL",
                         const std::map<std::string, std::string>& columns = {});
    static std::int64_t stock(std::int64_t product);
    static std::int64_t variantStock(std::int64_t variant);

    /// Feeds an order of that many of one product; the id of its group.
    std::int64_t sell(std::int64_t product, std::int64_t quantity);
    /// A group of one product in that state: fed, and then moved there one by one.
    std::int64_t groupIn(const std::string& status, std::int64_t product, std::int64_t quantity = 1);

    /// POST /orders/{id}/status.
    HttpResponse move(std::int64_t group, const std::string& status,
                      const nlohmann::json& more = nlohmann::json::object());
    /// `data.order` of GET /orders/{id}; fails unless that is 200.
    nlohmann::json read(std::int64_t group);
    /// `data` of GET /orders with that query; fails unless that is 200.
    nlohmann::json list(const std::string& query = {});
    std::vector<std::int64_t> ids(const std::string& query = {});
};

/// Order groups of a supplier straight in the database, totals included: created one a second from 2026-01-01, moved
/// one a second from 2026-01-02, three of four pending and the others shipped. They have no items.
void fillWithGroups(std::int64_t supplier, int count);

} // namespace supplierd::tests
