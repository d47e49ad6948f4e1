#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/TestMarket.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A supplier with a key. Outlived by its market.
class TestSupplier {
public:
    /// Made straight in the database, verified, without a limit to speak of. `scopes`: as the column has them.
    explicit TestSupplier(TestMarket& market, const std::string& name, const std::string& scopes = {});
    /// One that is there already.
    TestSupplier(TestMarket& market, std::int64_t id, const std::string& key);

    std::int64_t id() const { return _id; }
    const std::string& key() const { return _key; }
    HttpClient& http() { return _http; }
    HttpClient anotherClient() const { return _market.server().client(_key); }

    /// `data` of a GET; fails unless the answer is 200.
    nlohmann::json get(const std::string& path);

protected:
    TestMarket& market() const { return _market; }

private:
    TestMarket& _market;
    std::int64_t _id;
    std::string _key;
    HttpClient _http;
};

/// A supplier and what tests do with its products; each function fails the test unless the answer is the good one.
class TestSeller : public TestSupplier {
public:
    using TestSupplier::TestSupplier;

    /// The body of a create that is in order, with `changes` merged into it (null there leaves the field out).
    nlohmann::json productBody(const nlohmann::json& changes = nlohmann::json::object()) const;
    /// `data.product`
    nlohmann::json create(const nlohmann::json& changes = nlohmann::json::object());
    nlohmann::json read(std::int64_t product);
    nlohmann::json update(std::int64_t product, const nlohmann::json& changes);
    void remove(std::int64_t product);
    /// `data` of GET /products with that query.
    nlohmann::json list(const std::string& query = {});
    std::vector<std::int64_t> ids(const std::string& query = {});

    std::int64_t changeSeq() const;
    /// Fails when a list has another total than counting the products gives.
    void requireTrueTotals();
};

} // namespace supplierd::tests
