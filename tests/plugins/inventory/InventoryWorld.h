#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// One database and one server with the catalogue and the inventory for all tests of this program; each test makes a
/// supplier of its own.
class InventoryWorld {
public:
    static InventoryWorld& instance();

    TestDatabase& database() { return _database; }
    ServerProcess& server() { return _server; }
    std::int64_t category() const { return _category; }

private:
    InventoryWorld();

    TestDatabase _database;
    ServerProcess _server;
    std::int64_t _category;
};

/// A supplier with a key, and what tests do as it.
class Store {
public:
    explicit Store(const std::string& scopes = {});

    std::int64_t id() const { return _id; }
    HttpClient& http() { return _http; }
    HttpClient anotherClient() const;

    /// Creates a product by the API and returns it as it is read.
    nlohmann::json create(const nlohmann::json& changes = nlohmann::json::object());
    nlohmann::json read(std::int64_t product);
    nlohmann::json update(std::int64_t product, const nlohmann::json& changes);
    void remove(std::int64_t product);
    /// Creates `count` products with the SKUs "F-1", "F-2", … and stock 0 straight in the database. Their ids.
    std::vector<std::int64_t> fill(int count);

    /// `data` of the answer; fails unless that is a 200.
    nlohmann::json stock(const nlohmann::json& items) { return bulk(_http, "/stock", items); }
    nlohmann::json prices(const nlohmann::json& items) { return bulk(_http, "/prices", items); }
    static nlohmann::json bulk(HttpClient& http, const std::string& path, const nlohmann::json& items,
                               const HttpHeaders& headers = {});

    std::int64_t stockOf(std::int64_t product) { return read(product)["stock_qty"]; }
    std::int64_t changeSeq() const;
    /// The products of GET /products?changed_after=…
    nlohmann::json changedAfter(std::int64_t seq);
    /// Fails when a counter of the catalogue differs from what counting the products anew gives.
    void requireTrueTotals() const;

private:
    std::int64_t _id;
    std::string _key;
    HttpClient _http;
};

/// `{ updated, failed: 0, errors: [] }`
nlohmann::json allUpdated(std::size_t count);
/// `{ updated, failed, errors }` with one error per `{ index, sku, error }`.
nlohmann::json outcome(std::size_t updated, const std::vector<nlohmann::json>& errors);
nlohmann::json failure(std::size_t index, const std::string& sku, const std::string& error);

} // namespace supplierd::tests
