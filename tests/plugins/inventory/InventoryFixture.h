#pragma once

#include "tests/support/Json.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

/// `data` of a bulk request; fails unless its response is a 200.
Json bulk(HttpClient& http, const std::string& path, const Json& items, const HttpHeaders& headers = {});

/// A supplier and what it does with stocks and prices.
class InventoryClient : public SupplierClient {
public:
    using SupplierClient::SupplierClient;

    /// Creates `count` products with the SKUs "F-1", "F-2", … and stock 0 straight in the database. Their ids.
    std::vector<std::int64_t> fill(int count);

    Json stock(const Json& items) { return bulk(*this, "/stock", items); }
    Json prices(const Json& items) { return bulk(*this, "/prices", items); }

    std::int64_t stockOf(std::int64_t product) { return read(product)["stock_qty"]; }
};

/// What the API says of an item that names nothing of the supplier's.
inline constexpr const char* NOT_FOUND = "Product not found";
/// What it says of an amount in stock that is none.
inline constexpr const char* WRONG_STOCK = "stock_qty must be an integer from 0 to 1000000000";

/// `{ updated, failed: 0, errors: [] }`
Json allUpdated(std::size_t count);
/// `{ updated, failed, errors }` with one error per entry of `errors`.
Json outcome(std::size_t updated, const std::vector<Json>& errors);
/// `{ index, sku, error, code }`
Json failure(std::size_t index, const std::string& sku, const std::string& error,
             const std::string& code = "not_found");
/// Of an item whose `expected_stock_qty` is not the stock, which is `now`.
Json changed(std::size_t index, const std::string& sku, std::int64_t now);

} // namespace supplierd::tests
