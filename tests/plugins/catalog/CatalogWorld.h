#pragma once

#include "tests/support/Answers.h"
#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// One database and one server for all tests of this program; each test makes a supplier of its own.
class CatalogWorld {
public:
    static CatalogWorld& instance();
    /// Before the first instance().
    static void setOptions(ServerOptions options);

    TestDatabase& database() { return _database; }
    ServerProcess& server() { return _server; }
    std::int64_t flowers() const { return _flowers; }
    std::int64_t ribbons() const { return _ribbons; }

private:
    CatalogWorld();

    TestDatabase _database;
    ServerProcess _server;
    std::int64_t _flowers;
    std::int64_t _ribbons;
};

/// A supplier with a key, and what tests do as it.
class Shop {
public:
    explicit Shop(const std::string& scopes = {});

    std::int64_t id() const { return _id; }
    const std::string& key() const { return _key; }
    HttpClient& http() { return _http; }
    HttpClient anotherClient() const;

    /// The body of a create that is in order, with `changes` merged into it (null there leaves the field out).
    static nlohmann::json body(const nlohmann::json& changes = nlohmann::json::object());
    /// Creates and returns `data.product`; fails unless the answer is 201.
    nlohmann::json create(const nlohmann::json& changes = nlohmann::json::object());
    nlohmann::json update(std::int64_t product, const nlohmann::json& changes);
    void remove(std::int64_t product);
    nlohmann::json read(std::int64_t product);
    /// `data` of GET /products with that query.
    nlohmann::json list(const std::string& query = {});
    std::vector<std::int64_t> ids(const std::string& query = {});
    /// Creates `count` products straight in the database, totals included. Returns their ids, ascending.
    std::vector<std::int64_t> fill(int count);

    /// 422 with one detail for each of the given `field:code`, in any order, and no other.
    static void requireProblems(const HttpResponse& response, std::vector<std::string> problems);
    /// Fails when a list has another total than counting the products gives.
    void requireTrueTotals();

private:
    std::int64_t _id;
    std::string _key;
    HttpClient _http;
};

/// Percent-encodes a value of a query.
std::string escaped(const std::string& value);

} // namespace supplierd::tests
