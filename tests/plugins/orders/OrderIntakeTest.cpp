#include "OrdersFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

using nlohmann::json;

/// What an order that is taken in becomes.
class OrderIntakeTest : public CppUnit::TestFixture {
public:
    void tearDown() override { fixture().requireSoundOrders(); }

protected:
    /// The response's text, to see numbers as they are written.
    static std::string placeOne(const std::string& item) {
        json body = orderBody(json::array());
        std::string text = body.dump();
        text.replace(text.find("\"items\":[]"), 10, "\"items\":[" + item + "]");
        const HttpResponse response = operatorClient().postText("/orders", text);
        requireStatus(201, response);
        return response.body;
    }
};

TEST(OrderIntakeTest, orderIsSplitIntoOneGroupPerSupplier) {
    OrdersClient roses({.name = "Roses & Co"});
    OrdersClient ribbons({.name = "Lint B.V. 💐"});
    const auto rose = roses.product(10);
    const auto tulip = roses.product(10, "0.5");
    const auto ribbon = ribbons.product(10, "3");
    const json order = place({{{"product_id", ribbon}, {"quantity", 1}},
                              {{"product_id", rose}, {"quantity", 2}},
                              {{"product_id", tulip}, {"quantity", 4}}},
                             {{"customer", {{"company_name", "Bloemist 💐 Jansen"}}}});
    CPPUNIT_ASSERT(order["id"].is_number_integer());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, order["groups"].size());
    const json& first = order["groups"][0];
    const json& second = order["groups"][1];
    CPPUNIT_ASSERT_EQUAL(json({{"id", roses.id()}, {"name", "Roses & Co"}}), first["supplier"]);
    CPPUNIT_ASSERT_EQUAL(json({{"id", ribbons.id()}, {"name", "Lint B.V. 💐"}}), second["supplier"]);
    for (const json& group : order["groups"]) {
        CPPUNIT_ASSERT_EQUAL(order["order_number"], group["order_number"]);
        CPPUNIT_ASSERT_EQUAL(json("pending"), group["status"]);
        CPPUNIT_ASSERT_EQUAL(json("EUR"), group["currency"]);
        CPPUNIT_ASSERT_EQUAL(json("Bloemist 💐 Jansen"), group["customer_name"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, group["status_history"].size());
        CPPUNIT_ASSERT(group["status_history"][0]["from_status"].is_null());
        CPPUNIT_ASSERT_EQUAL(json("pending"), group["status_history"][0]["to_status"]);
        CPPUNIT_ASSERT_EQUAL(json("platform"), group["status_history"][0]["changed_by"]);
    }
    CPPUNIT_ASSERT_EQUAL(json(2), first["items_count"]);
    CPPUNIT_ASSERT_EQUAL(json(rose), first["items"][0]["product_id"]);
    CPPUNIT_ASSERT_EQUAL(json(tulip), first["items"][1]["product_id"]);
    CPPUNIT_ASSERT_EQUAL(json(1), second["items_count"]);
    // Each sees its own part only.
    CPPUNIT_ASSERT(roses.orderIds() == std::vector<std::int64_t>{first["id"].get<std::int64_t>()});
    requireStatus(404, roses.get("/orders/" + second["id"].dump()));
    requireStatus(404, roses.move(second["id"], "confirmed"));
}

TEST(OrderIntakeTest, quantitiesAreTakenFromStock) {
    OrdersClient supplier;
    const auto product = supplier.product(10);
    supplier.sell(product, 3);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, stockOf(product));
    supplier.sell(product, 7);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stockOf(product));
}

TEST(OrderIntakeTest, sameProductTwiceIsTakenTogether) {
    OrdersClient supplier;
    const auto product = supplier.product(10);
    const json order = place(
        {{{"product_id", product}, {"quantity", 3}}, {{"product_id", product}, {"quantity", 7}, {"unit_price", 1}}});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stockOf(product));
    CPPUNIT_ASSERT_EQUAL(json(2), order["groups"][0]["items_count"]);
    CPPUNIT_ASSERT_EQUAL(json(3), order["groups"][0]["items"][0]["quantity"]);
    CPPUNIT_ASSERT_EQUAL(json(7), order["groups"][0]["items"][1]["quantity"]);
}

TEST(OrderIntakeTest, variantHasItsOwnStockPriceAndSku) {
    OrdersClient supplier;
    const auto product = supplier.product(10, "2", {{"sku", "'ROSE'"}, {"unit", "1"}});
    const auto dear = supplier.variant(product, 5, "3.5", {{"sku", "'ROSE-60'"}});
    const auto plain = supplier.variant(product, 5, "NULL", {{"name", "'40 cm'"}});
    const json items = place({{{"product_id", product}, {"variant_id", dear}, {"quantity", 2}},
                              {{"product_id", product}, {"variant_id", plain}, {"quantity", 1}},
                              {{"product_id", product}, {"quantity", 4}}})["groups"][0]["items"];
    CPPUNIT_ASSERT_EQUAL(json(dear), items[0]["variant_id"]);
    CPPUNIT_ASSERT_EQUAL(json("ROSE-60"), items[0]["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("Rosa Avalanche, 60 cm"), items[0]["name"]);
    CPPUNIT_ASSERT_EQUAL(json(3.5), items[0]["unit_price"]);
    CPPUNIT_ASSERT_EQUAL(json("bunch"), items[0]["unit"]);
    CPPUNIT_ASSERT_EQUAL(json("ROSE"), items[1]["sku"]);
    CPPUNIT_ASSERT_EQUAL(json(2), items[1]["unit_price"]);
    CPPUNIT_ASSERT(items[2]["variant_id"].is_null());
    CPPUNIT_ASSERT_EQUAL(json("Rosa Avalanche"), items[2]["name"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, variantStockOf(dear));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, variantStockOf(plain));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, stockOf(product));
}

TEST(OrderIntakeTest, unitPriceOfTheOrderWins) {
    OrdersClient supplier;
    const auto product = supplier.product(1'000, "2");
    const auto group =
        placeOne(R"({"product_id": )" + std::to_string(product) + R"(, "quantity": 100, "unit_price": 0.0850})");
    CPPUNIT_ASSERT_MESSAGE(group, group.find(R"("unit_price":0.085,)") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(group, group.find(R"("line_total":8.5})") != std::string::npos);
    const auto free = placeOne(R"({"product_id": )" + std::to_string(product) + R"(, "quantity": 3, "unit_price": 0})");
    CPPUNIT_ASSERT_MESSAGE(free, free.find(R"("total":0,)") != std::string::npos);
}

TEST(OrderIntakeTest, amountsAddUp) {
    OrdersClient supplier;
    const auto high = supplier.product(100, "0.0850", {{"vat_rate", "21"}});
    const auto low = supplier.product(100, "0.35", {{"vat_rate", "9"}});
    const auto none = supplier.product(100, "1", {{"vat_rate", "0"}});
    const json group = place({{{"product_id", high}, {"quantity", 1}},
                              {{"product_id", high}, {"quantity", 1}},
                              {{"product_id", low}, {"quantity", 3}},
                              {{"product_id", none}, {"quantity", 2}}})["groups"][0];
    // 0.085 → 0.09 twice, 1.05, 2; VAT 0.18 × 21 % = 0.0378 → 0.04, and 1.05 × 9 % = 0.0945 → 0.09.
    CPPUNIT_ASSERT_EQUAL(json(0.09), group["items"][0]["line_total"]);
    CPPUNIT_ASSERT_EQUAL(json(1.05), group["items"][2]["line_total"]);
    CPPUNIT_ASSERT_EQUAL(json(9), group["items"][2]["vat_rate"]);
    CPPUNIT_ASSERT_EQUAL(json(3.23), group["subtotal"]);
    CPPUNIT_ASSERT_EQUAL(json(0.13), group["vat_total"]);
    CPPUNIT_ASSERT_EQUAL(json(3.36), group["total"]);
}

TEST(OrderIntakeTest, itemsAreASnapshot) {
    OrdersClient supplier;
    const auto product = supplier.product(10, "2", {{"sku", "'OLD'"}});
    const auto variant = supplier.variant(product, 10);
    const json order = place({{{"product_id", product}, {"quantity", 1}},
                              {{"product_id", product}, {"variant_id", variant}, {"quantity", 1}}});
    const std::int64_t group = order["groups"][0]["id"];
    const json before = supplier.order(group);
    const std::string path = "/products/" + std::to_string(product);
    const HttpResponse changed = supplier.post(path, {{"name", "Other"},
                                                      {"sku", "NEW"},
                                                      {"base_price", 9},
                                                      {"vat_rate", 0},
                                                      {"unit", "box"},
                                                      {"variants", {{{"id", variant}, {"delete", true}}}}});
    requireStatus(200, changed);
    CPPUNIT_ASSERT_EQUAL(before, supplier.order(group));
    requireStatus(200, supplier.postEmpty(path + "/delete"));
    CPPUNIT_ASSERT_EQUAL(before, supplier.order(group));
    CPPUNIT_ASSERT_EQUAL(json("OLD"), before["items"][0]["sku"]);
}

TEST(OrderIntakeTest, sameOrderAgainIsTheFirstOne) {
    OrdersClient supplier;
    const auto product = supplier.product(10, "0.5");
    HttpClient platform = operatorClient();
    const json body = orderBody({{{"product_id", product}, {"quantity", 3}}});
    const HttpResponse first = platform.post("/orders", body);
    requireStatus(201, first);
    json written = body;
    written["currency"] = "EUR";
    written["unknown"] = "field";
    written["customer"]["company_name"] = "  Bloemen Jansen ";
    written["customer"]["email"] = nullptr;
    written["customer"]["billing_address"] = json::object();
    for (const json& again : {body, written}) {
        const HttpResponse repeat = platform.post("/orders", again);
        requireStatus(200, repeat);
        CPPUNIT_ASSERT_EQUAL(first.data(), repeat.data());
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, stockOf(product));
    // The first order as it is now.
    supplier.move(first.data()["order"]["groups"][0]["id"], "confirmed");
    CPPUNIT_ASSERT_EQUAL(json("confirmed"), platform.post("/orders", body).data()["order"]["groups"][0]["status"]);
}

TEST(OrderIntakeTest, sameNumberWithAnotherOrderIsRefused) {
    OrdersClient supplier;
    const auto product = supplier.product(10);
    HttpClient platform = operatorClient();
    const json body = orderBody({{{"product_id", product}, {"quantity", 3}}});
    requireStatus(201, platform.post("/orders", body));
    for (const char* patch :
         {R"({"items": [{"quantity": 4}]})", R"({"currency": "USD"})", R"({"items": [{"unit_price": 1}]})",
          R"({"customer": {"phone": "1"}})", R"({"customer": {"shipping_address": {"city": "Aalsmeer"}}})",
          R"({"customer": {"billing_address": {"city": "Aalsmeer"}}})"}) {
        json other = body;
        const json change = json::parse(patch);
        if (change.contains("items"))
            other["items"][0].update(change["items"][0]);
        else
            other.merge_patch(change);
        requireProblems(platform.post("/orders", other), {"order_number:duplicate"});
    }
    json twice = body;
    twice["items"].push_back(body["items"][0]);
    requireProblems(platform.post("/orders", twice), {"order_number:duplicate"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, stockOf(product));
    // Numbers differ by case.
    json lower = body;
    lower["order_number"] = "n" + body["order_number"].get<std::string>().substr(1);
    requireStatus(201, platform.post("/orders", lower));
}

TEST(OrderIntakeTest, orderOfFiveHundredItemsOfManySuppliers) {
    std::vector<OrdersClient> suppliers;
    for (int i = 0; i < 10; ++i)
        suppliers.emplace_back(SupplierOptions{.name = "Grower " + std::to_string(i)});
    json items = json::array();
    for (int i = 0; i < 500; ++i)
        items.push_back({{"product_id", suppliers[static_cast<std::size_t>(i) % 10].product(5)}, {"quantity", 2}});
    const json order = place(items);
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, order["groups"].size());
    for (const json& group : order["groups"]) {
        CPPUNIT_ASSERT_EQUAL(json(50), group["items_count"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{50}, group["items"].size());
        for (const json& item : group["items"])
            CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, stockOf(item["product_id"]));
    }
}

TEST(OrderIntakeTest, changedProductsAreStamped) {
    OrdersClient supplier;
    const auto plain = supplier.product(10);
    const auto varied = supplier.product(10);
    const auto variant = supplier.variant(varied, 10);
    const auto untouched = supplier.product(10);
    const auto changes = [&](std::int64_t after) {
        return supplier.get("/products?changed_after=" + std::to_string(after)).data();
    };
    const std::int64_t before = changes(0)["pagination"]["last_change_seq"];
    place(
        {{{"product_id", plain}, {"quantity", 1}}, {{"product_id", varied}, {"variant_id", variant}, {"quantity", 1}}});
    const json after = changes(before);
    CPPUNIT_ASSERT(idsOf(after["products"]) == std::vector<std::int64_t>({plain, varied}));
    CPPUNIT_ASSERT_EQUAL(json(9), after["products"][0]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(10), after["products"][1]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(2), supplier.get("/products/" + std::to_string(plain)).data()["product"]["version"]);
    CPPUNIT_ASSERT_EQUAL(json(1), supplier.get("/products/" + std::to_string(untouched)).data()["product"]["version"]);
}

} // namespace supplierd::tests
