#include "OrdersFixture.h"

#include "tests/support/Numbers.h"

#include <atomic>

namespace supplierd::tests {

namespace {

TestDatabase& database() {
    return fixture().database();
}

} // namespace

const std::string& operatorKey() {
    static const std::string key = fixture().server().createOperatorKey({{"hourly_limit", "10000000"}});
    return key;
}

HttpClient operatorClient() {
    return fixture().server().operatorClient(operatorKey());
}

json orderBody(const json& items, const json& changes) {
    static std::atomic<int> orders{0};
    json body{{"order_number", "N-" + std::to_string(++orders)},
              {"customer", {{"company_name", "Bloemen Jansen"}}},
              {"items", items}};
    body.merge_patch(changes);
    return body;
}

json place(const json& items, const json& changes) {
    return dataOf(operatorClient().post("/orders", orderBody(items, changes)), 201).at("order");
}

void fillWithGroups(std::int64_t supplier, int count) {
    const std::string id = std::to_string(supplier);
    database().exec("INSERT INTO orders (order_number, body_hash, currency, company_name) "
                    "SELECT CONCAT('F-', " +
                    id + ", '-', seq, '-', UUID()), REPEAT('x', 32), 'EUR', 'Filler' FROM " + numbersTo(count));
    database().exec("INSERT INTO order_groups (supplier_id, order_id, status, items_count, subtotal, vat_total, total, "
                    "created_at, updated_at, currency, order_number, customer_name) "
                    "SELECT " +
                    id +
                    ", id, IF(n MOD 4 = 0, 3, 0), 0, 0, 0, 0, '2026-01-01' + INTERVAL n SECOND, "
                    "'2026-01-02' + INTERVAL n SECOND, 'EUR', order_number, 'Filler' "
                    "FROM (SELECT id, order_number, ROW_NUMBER() OVER (ORDER BY id) AS n FROM orders "
                    "WHERE order_number LIKE 'F-" +
                    id + "-%') numbered ORDER BY id");
    database().exec("INSERT INTO order_status_history (order_group_id, to_status, changed_by) "
                    "SELECT id, status, 1 FROM order_groups WHERE supplier_id = " +
                    id);
    database().exec("INSERT INTO order_totals (supplier_id, pending, shipped) "
                    "SELECT supplier_id, SUM(status = 0), SUM(status = 3) FROM order_groups WHERE supplier_id = " +
                    id + " GROUP BY supplier_id");
}

std::int64_t stockOf(std::int64_t product) {
    return database().integer("SELECT stock_qty FROM products WHERE id = " + std::to_string(product));
}

std::int64_t OrdersClient::product(std::int64_t stock, const std::string& price,
                                   const std::map<std::string, std::string>& columns) {
    const std::string supplier = std::to_string(id());
    const std::string category = std::to_string(on().category());
    std::map<std::string, std::string> all = columns;
    all.insert({{"supplier_id", supplier},
                {"name", "'Rosa Avalanche'"},
                {"category_id", category},
                {"base_price", price},
                {"unit", "0"},
                {"stock_qty", std::to_string(stock)},
                {"approval", "1"},
                {"change_seq", "0"}});
    return database().insert("products", all);
}

std::int64_t OrdersClient::sell(std::int64_t product, std::int64_t quantity) {
    return place({{{"product_id", product}, {"quantity", quantity}}})["groups"][0]["id"];
}

std::int64_t OrdersClient::groupIn(const std::string& status, std::int64_t product, std::int64_t quantity) {
    const std::int64_t group = sell(product, quantity);
    const std::vector<std::string> path{"pending", "confirmed", "processing", "shipped", "delivered", "completed"};
    const auto through = [&](const std::string& next) {
        requireStatus(200, next == "completed"
                               ? operatorClient().postEmpty("/order-groups/" + std::to_string(group) + "/complete")
                               : move(group, next));
    };
    if (status == "cancelled") {
        through(status);
        return group;
    }
    for (std::size_t i = 1; path[i - 1] != status; ++i)
        through(path.at(i));
    return group;
}

HttpResponse OrdersClient::move(std::int64_t group, const std::string& status, const json& more) {
    json body{{"status", status}};
    body.update(more);
    return post("/orders/" + std::to_string(group) + "/status", body);
}

json OrdersClient::order(std::int64_t group) {
    return dataOf(get("/orders/" + std::to_string(group))).at("order");
}

json OrdersClient::orders(const std::string& query) {
    return dataOf(get("/orders" + (query.empty() ? query : "?" + query)));
}

std::vector<std::int64_t> OrdersClient::orderIds(const std::string& query) {
    return idsOf(orders(query).at("orders"));
}

} // namespace supplierd::tests
