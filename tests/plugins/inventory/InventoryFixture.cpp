#include "InventoryFixture.h"

namespace supplierd::tests {

json bulk(HttpClient& http, const std::string& path, const json& items, const HttpHeaders& headers) {
    return dataOf(http.post(path, {{"items", items}}, headers));
}

std::vector<std::int64_t> InventoryClient::fill(int count) {
    const std::vector<std::int64_t> ids = SupplierClient::fill(count);
    const std::string filled =
        " WHERE supplier_id = " + std::to_string(id()) + " AND id >= " + std::to_string(ids.front());
    TestDatabase& database = on().database();
    database.exec("UPDATE products SET sku = CONCAT('F-', CAST(SUBSTR(name, 8) AS UNSIGNED)), base_price = 1, "
                  "stock_qty = 0" +
                  filled);
    database.exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id) SELECT supplier_id, LOWER(sku), "
                  "sku, id FROM products" +
                  filled);
    return ids;
}

json allUpdated(std::size_t count) {
    return outcome(count, {});
}

json outcome(std::size_t updated, const std::vector<json>& errors) {
    return {{"updated", updated}, {"failed", errors.size()}, {"errors", errors}};
}

json failure(std::size_t index, const std::string& sku, const std::string& error, const std::string& code) {
    return {{"index", index}, {"sku", sku}, {"error", error}, {"code", code}};
}

json changed(std::size_t index, const std::string& sku, std::int64_t now) {
    json error = failure(index, sku, "Stock changed, now " + std::to_string(now), "changed");
    error["stock_qty"] = now;
    return error;
}

} // namespace supplierd::tests
