#include "OrdersFixture.h"
#include "tests/support/Test.h"

#include <set>

namespace supplierd::tests {

using nlohmann::json;

/// GET /orders/{id}, and what the platform reads instead.
class OrderDetailTest : public CppUnit::TestFixture {
protected:
    static HttpClient operatorHttp() { return operatorClient(); }

    static std::set<std::string> names(const json& object) {
        std::set<std::string> names;
        for (const auto& [name, value] : object.items())
            names.insert(name);
        return names;
    }

    static void requireTime(const json& time) {
        const auto text = time.get<std::string>();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::size_t{20}, text.size());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, 'T', text[10]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, 'Z', text[19]);
    }
};

TEST(OrderDetailTest, detailHasEverythingInItsPlace) {
    OrdersClient supplier;
    const auto product = supplier.product(10, "0.85", {{"sku", "'RS-1'"}, {"vat_rate", "9"}});
    const json order = supplier.order(supplier.sell(product, 3));
    CPPUNIT_ASSERT(names(order) ==
                   std::set<std::string>({"id", "order_number", "status", "currency", "subtotal", "vat_total", "total",
                                          "items_count", "customer_name", "created_at", "updated_at", "items",
                                          "customer", "status_history", "allowed_statuses", "tracking"}));
    CPPUNIT_ASSERT_EQUAL(json("pending"), order["status"]);
    CPPUNIT_ASSERT_EQUAL(json(2.55), order["subtotal"]);
    CPPUNIT_ASSERT_EQUAL(json(0.23), order["vat_total"]);
    CPPUNIT_ASSERT_EQUAL(json(2.78), order["total"]);
    requireTime(order["created_at"]);
    requireTime(order["updated_at"]);
    CPPUNIT_ASSERT_EQUAL(json::array({"confirmed", "cancelled"}), order["allowed_statuses"]);
    const json& item = order["items"][0];
    CPPUNIT_ASSERT(names(item) == std::set<std::string>({"id", "product_id", "variant_id", "sku", "name", "unit",
                                                         "quantity", "unit_price", "vat_rate", "line_total"}));
    CPPUNIT_ASSERT(item["id"].is_number_integer());
    CPPUNIT_ASSERT_EQUAL(json(product), item["product_id"]);
    CPPUNIT_ASSERT_EQUAL(json("RS-1"), item["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("Rosa Avalanche"), item["name"]);
    CPPUNIT_ASSERT_EQUAL(json("stem"), item["unit"]);
    CPPUNIT_ASSERT_EQUAL(json(3), item["quantity"]);
    CPPUNIT_ASSERT_EQUAL(json(0.85), item["unit_price"]);
    CPPUNIT_ASSERT_EQUAL(json(9), item["vat_rate"]);
    CPPUNIT_ASSERT_EQUAL(json(2.55), item["line_total"]);
    CPPUNIT_ASSERT(names(order["status_history"][0]) ==
                   std::set<std::string>({"from_status", "to_status", "comment", "changed_by", "created_at"}));
    requireTime(order["status_history"][0]["created_at"]);
}

TEST(OrderDetailTest, whatWasNotGivenIsNull) {
    OrdersClient supplier;
    const json order = supplier.order(supplier.sell(supplier.product(10), 1));
    CPPUNIT_ASSERT(order["tracking"].is_null());
    CPPUNIT_ASSERT(order["items"][0]["variant_id"].is_null());
    CPPUNIT_ASSERT(order["items"][0]["sku"].is_null());
    CPPUNIT_ASSERT(order["status_history"][0]["comment"].is_null());
    CPPUNIT_ASSERT_EQUAL(json({{"company_name", "Bloemen Jansen"},
                               {"contact_name", nullptr},
                               {"email", nullptr},
                               {"phone", nullptr},
                               {"vat_number", nullptr},
                               {"billing_address", nullptr},
                               {"shipping_address", nullptr}}),
                         order["customer"]);
}

TEST(OrderDetailTest, customerIsWrittenAsItWasGiven) {
    OrdersClient supplier;
    const json address{{"line1", "Legmeerdijk 313"},
                       {"line2", "Box 10 💐"},
                       {"postal_code", "1431 GB"},
                       {"city", "Aalsmeer"},
                       {"country", "NL"}};
    const json customer{{"company_name", "Bloemen \"Jansen\" & Zn."},
                        {"contact_name", "Jan Jansen"},
                        {"email", "jan@example.com"},
                        {"phone", "+31 297 390 000"},
                        {"vat_number", "NL001234567B01"},
                        {"billing_address", address},
                        {"shipping_address", {{"city", "Naaldwijk"}}}};
    const json placed = place({{{"product_id", supplier.product(10)}, {"quantity", 1}}}, {{"customer", customer}});
    json expected = customer;
    expected["shipping_address"] = {
        {"line1", nullptr}, {"line2", nullptr}, {"postal_code", nullptr}, {"city", "Naaldwijk"}, {"country", nullptr}};
    const json order = supplier.order(placed["groups"][0]["id"]);
    CPPUNIT_ASSERT_EQUAL(expected, order["customer"]);
    CPPUNIT_ASSERT_EQUAL(customer["company_name"], order["customer_name"]);
}

TEST(OrderDetailTest, historyIsOldestFirst) {
    OrdersClient supplier;
    const auto group = supplier.groupIn("completed", supplier.product(10));
    const json order = supplier.order(group);
    std::vector<std::string> walked;
    json from;
    for (const json& entry : order["status_history"]) {
        CPPUNIT_ASSERT_EQUAL(from, entry["from_status"]);
        from = entry["to_status"];
        walked.push_back(from.get<std::string>() + " by " + entry["changed_by"].get<std::string>());
    }
    CPPUNIT_ASSERT(walked ==
                   std::vector<std::string>({"pending by platform", "confirmed by supplier", "processing by supplier",
                                             "shipped by supplier", "delivered by supplier", "completed by platform"}));
}

TEST(OrderDetailTest, unknownAndOthersOrdersAreNotFound) {
    OrdersClient supplier;
    OrdersClient other;
    const auto group = std::to_string(supplier.sell(supplier.product(10), 1));
    requireStatus(404, supplier.get("/orders/999999999"));
    requireStatus(404, supplier.get("/orders/0"));
    requireStatus(404, supplier.get("/orders/x"));
    const HttpResponse response = other.get("/orders/" + group);
    requireStatus(404, response);
    CPPUNIT_ASSERT_EQUAL(json("NOT_FOUND"), response.error()["code"]);
    requireStatus(404, operatorHttp().get("/order-groups/999999999"));
}

TEST(OrderDetailTest, scopesAreAsked) {
    OrdersClient supplier;
    const auto group = std::to_string(supplier.sell(supplier.product(10), 1));
    const auto keyWith = [&](const std::string& scopes) {
        return fixture().server().client(fixture().server().createKey(supplier.id(), {{"scopes", "'" + scopes + "'"}}));
    };
    HttpClient reader = keyWith("orders:read");
    requireStatus(200, reader.get("/orders"));
    requireStatus(200, reader.get("/orders/" + group));
    requireStatus(403, reader.post("/orders/" + group + "/status", {{"status", "confirmed"}}));
    HttpClient writer = keyWith("orders:write");
    requireStatus(403, writer.get("/orders"));
    requireStatus(403, writer.get("/orders/" + group));
    requireStatus(200, writer.post("/orders/" + group + "/status", {{"status", "confirmed"}}));
}

TEST(OrderDetailTest, platformReadsEverySuppliersGroups) {
    OrdersClient supplier({.name = "Grower of platform reads"});
    const auto group = supplier.groupIn("delivered", supplier.product(10));
    const HttpResponse response = operatorHttp().get("/order-groups/" + std::to_string(group));
    requireStatus(200, response);
    json order = response.data()["order"];
    CPPUNIT_ASSERT_EQUAL(json({{"id", supplier.id()}, {"name", "Grower of platform reads"}}), order["supplier"]);
    CPPUNIT_ASSERT_EQUAL(json::array({"completed"}), order["allowed_statuses"]);
    json own = supplier.order(group);
    CPPUNIT_ASSERT_EQUAL(json::array(), own["allowed_statuses"]);
    for (const char* name : {"supplier", "allowed_statuses"}) {
        order.erase(name);
        own.erase(name);
    }
    CPPUNIT_ASSERT_EQUAL(own, order);
}

} // namespace supplierd::tests
