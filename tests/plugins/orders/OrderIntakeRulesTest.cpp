#include "OrdersFixture.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

using nlohmann::json;

/// What is wrong with an order is told at once and as a whole, and nothing of it is taken.
class OrderIntakeRulesTest : public CppUnit::TestFixture {
public:
    void setUp() override { _product = _supplier.product(10); }
    void tearDown() override {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(_product));
        fixture().requireSoundOrders();
    }

protected:
    json item(std::int64_t quantity) const { return {{"product_id", _product}, {"quantity", quantity}}; }
    static json of(std::int64_t product) { return {{"product_id", product}, {"quantity", 1}}; }
    static HttpResponse post(const json& body) { return operatorClient().post("/orders", body); }
    static HttpResponse postItems(const json& items, const json& changes = json::object()) {
        return post(orderBody(items, changes));
    }

    OrdersClient _supplier;
    std::int64_t _product = 0;
};

TEST(OrderIntakeRulesTest, requiredFields) {
    requireProblems(post(json::object()), {"order_number:required", "customer:required", "items:required"});
    requireProblems(
        postItems({{{"variant_id", nullptr}}}, {{"order_number", " "}, {"customer", {{"company_name", nullptr}}}}),
        {"order_number:required", "customer.company_name:required", "items[0].product_id:required",
         "items[0].quantity:required"});
}

TEST(OrderIntakeRulesTest, types) {
    requireProblems(
        postItems({{{"product_id", "5"}, {"quantity", 5.5}, {"unit_price", "1"}}, 5},
                  {{"order_number", 5}, {"currency", 5}, {"customer", {{"company_name", 5}, {"email", true}}}}),
        {"order_number:type", "currency:type", "customer.company_name:type", "customer.email:type",
         "items[0].product_id:type", "items[0].quantity:type", "items[0].unit_price:type", "items[1]:type"});
    requireProblems(postItems(json::array({item(1)}), {{"customer", "Jansen"}}), {"customer:type"});
    json body = orderBody(json::object());
    requireProblems(post(body), {"items:type"});
    requireProblems(postItems(json::array({item(1)}), {{"customer",
                                                        {{"billing_address", "Street"},
                                                         {"shipping_address", {{"city", 1}, {"line1", false}}},
                                                         {"email", "no address"}}}}),
                    {"customer.billing_address:type", "customer.shipping_address.city:type",
                     "customer.shipping_address.line1:type", "customer.email:type"});
}

TEST(OrderIntakeRulesTest, lengths) {
    const auto letters = [](std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += "ü";
        return text;
    };
    const json address{{"line1", letters(256)},
                       {"line2", letters(256)},
                       {"postal_code", letters(33)},
                       {"city", letters(256)},
                       {"country", letters(65)}};
    requireProblems(postItems(json::array({item(1)}), {{"order_number", letters(65)},
                                                       {"customer",
                                                        {{"company_name", letters(256)},
                                                         {"contact_name", letters(256)},
                                                         {"email", letters(128) + "@" + letters(127)},
                                                         {"phone", letters(65)},
                                                         {"vat_number", letters(65)},
                                                         {"billing_address", address}}}}),
                    {"order_number:too_long", "customer.company_name:too_long", "customer.contact_name:too_long",
                     "customer.email:too_long", "customer.phone:too_long", "customer.vat_number:too_long",
                     "customer.billing_address.line1:too_long", "customer.billing_address.line2:too_long",
                     "customer.billing_address.postal_code:too_long", "customer.billing_address.city:too_long",
                     "customer.billing_address.country:too_long"});
    const auto other = _supplier.product(1);
    place({{{"product_id", other}, {"quantity", 1}}},
          {{"order_number", letters(50) + std::to_string(other)},
           {"customer", {{"company_name", letters(255)}, {"phone", letters(64)}}}});
}

TEST(OrderIntakeRulesTest, numbersOutOfRange) {
    requireProblems(
        postItems({{{"product_id", 0}, {"quantity", 0}, {"unit_price", -1}},
                   {{"product_id", _product}, {"quantity", 1'000'000'001}, {"unit_price", 100'000'000}},
                   {{"product_id", _product}, {"quantity", -1}, {"variant_id", 0}, {"unit_price", 0.00001}}}),
        {"items[0].product_id:out_of_range", "items[0].quantity:out_of_range", "items[0].unit_price:out_of_range",
         "items[1].quantity:out_of_range", "items[1].unit_price:out_of_range", "items[2].quantity:out_of_range",
         "items[2].variant_id:out_of_range", "items[2].unit_price:out_of_range"});
}

TEST(OrderIntakeRulesTest, currencyIsThreeCapitalLetters) {
    for (const char* wrong : {"eur", "EU", "EURO", "E1R", "€"})
        requireProblems(postItems(json::array({item(1)}), {{"currency", wrong}}), {"currency:not_in_set"});
    const auto other = _supplier.product(1);
    const json order = place({{{"product_id", other}, {"quantity", 1}}}, {{"currency", "CHF"}});
    CPPUNIT_ASSERT_EQUAL(json("CHF"), order["groups"][0]["currency"]);
}

TEST(OrderIntakeRulesTest, numberOfItems) {
    requireProblems(post(orderBody(json::array())), {"items:required"});
    json items = json::array();
    for (int i = 0; i < 501; ++i)
        items.push_back(item(1));
    requireProblems(postItems(items), {"items:too_many"});
}

TEST(OrderIntakeRulesTest, productsThatCannotBeSoldAreAllNamed) {
    OrdersClient other;
    const auto inactive = _supplier.product(10, "1", {{"is_active", "0"}});
    const auto pending = _supplier.product(10, "1", {{"approval", "0"}});
    const auto rejected = other.product(10, "1", {{"approval", "2"}});
    const auto deleted = other.product(10, "1", {{"deleted", "1"}});
    const json error =
        requireProblems(postItems({item(1), of(inactive), of(pending), of(rejected), of(deleted), of(999'999'999)}),
                        {"items[1].product_id:unknown_reference", "items[2].product_id:unknown_reference",
                         "items[3].product_id:unknown_reference", "items[4].product_id:unknown_reference",
                         "items[5].product_id:unknown_reference"});
    CPPUNIT_ASSERT_EQUAL(
        json("items[1].product_id: product " + std::to_string(inactive) + " is not active and approved"),
        error["message"]);
}

TEST(OrderIntakeRulesTest, productsOfASuspendedSupplierCannotBeSold) {
    OrdersClient other;
    const auto theirs = other.product(10);
    const auto setStatus = [&](const std::string& status) {
        fixture().database().exec("UPDATE suppliers SET status = '" + status +
                                  "' WHERE id = " + std::to_string(other.id()));
    };
    for (const std::string status : {"suspended", "unverified"}) {
        setStatus(status);
        const json error = requireProblems(postItems({item(1), of(theirs)}), {"items[1].product_id:unknown_reference"});
        CPPUNIT_ASSERT_EQUAL(json("items[1].product_id: product " + std::to_string(theirs) +
                                  " is not on sale, its supplier is " + status),
                             error["message"]);
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, stockOf(theirs));
    setStatus("verified");
    place(json::array({of(theirs)}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, stockOf(theirs));
}

TEST(OrderIntakeRulesTest, variantsThatCannotBeSoldAreAllNamed) {
    const auto varied = _supplier.product(10);
    const auto inactive = _supplier.variant(varied, 10, "NULL", {{"is_active", "0"}});
    const auto others = _supplier.variant(_product, 10);
    const auto gone = _supplier.product(10, "1", {{"deleted", "1"}});
    const auto variantOfGone = _supplier.variant(gone, 10);
    const auto with = [](std::int64_t product, std::int64_t variant) {
        return json{{"product_id", product}, {"variant_id", variant}, {"quantity", 1}};
    };
    requireProblems(
        postItems({with(varied, inactive), with(varied, others), with(varied, 999'999'999), with(gone, variantOfGone)}),
        {"items[0].variant_id:unknown_reference", "items[1].variant_id:unknown_reference",
         "items[2].variant_id:unknown_reference", "items[3].product_id:unknown_reference"});
}

TEST(OrderIntakeRulesTest, whatIsNotInStockIsNamedWithWhatIsLeft) {
    const auto few = _supplier.product(3);
    const auto varied = _supplier.product(100);
    const auto variant = _supplier.variant(varied, 2);
    const json error = requireProblems(
        postItems({{{"product_id", few}, {"quantity", 4}},
                   {{"product_id", varied}, {"variant_id", variant}, {"quantity", 3}},
                   item(6),
                   item(4),
                   item(1)}),
        {"items[0].quantity:out_of_range", "items[1].quantity:out_of_range", "items[4].quantity:out_of_range"});
    CPPUNIT_ASSERT_EQUAL(json("items[0].quantity: not enough in stock, 3 left"), error["details"][0]["message"]);
    CPPUNIT_ASSERT_EQUAL(json("items[1].quantity: not enough in stock, 2 left"), error["details"][1]["message"]);
    CPPUNIT_ASSERT_EQUAL(json("items[4].quantity: not enough in stock, 0 left"), error["details"][2]["message"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, stockOf(few));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, variantStockOf(variant));
}

TEST(OrderIntakeRulesTest, problemsOfTheBodyAndOfTheStockComeTogether) {
    requireProblems(postItems({item(11), of(999'999'999), {{"product_id", 999'999'998}, {"quantity", "1"}}},
                              {{"currency", "euro"}}),
                    {"currency:not_in_set", "items[0].quantity:out_of_range", "items[1].product_id:unknown_reference",
                     "items[2].quantity:type", "items[2].product_id:unknown_reference"});
}

TEST(OrderIntakeRulesTest, oneItemTooManyTakesNothing) {
    OrdersClient other;
    const auto few = other.product(1);
    const auto groups = fixture().database().integer("SELECT COUNT(*) FROM order_groups");
    const json body = orderBody({item(5), {{"product_id", few}, {"quantity", 2}}});
    requireProblems(post(body), {"items[1].quantity:out_of_range"});
    CPPUNIT_ASSERT_EQUAL(groups, fixture().database().integer("SELECT COUNT(*) FROM order_groups"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, fixture().database().integer(
                                              "SELECT COUNT(*) FROM orders WHERE order_number = " +
                                              fixture().database().quote(body["order_number"].get<std::string>())));
    // Its number is free for the order that is then possible.
    fixture().database().exec("UPDATE products SET stock_qty = 15 WHERE id = " + std::to_string(_product));
    fixture().database().exec("UPDATE products SET stock_qty = 2 WHERE id = " + std::to_string(few));
    const HttpResponse response = post(body);
    requireStatus(201, response);
}

TEST(OrderIntakeRulesTest, amountsAreLimited) {
    const auto many = _supplier.product(1'000'000'000, "99999999.9999");
    requireProblems(postItems({{{"product_id", many}, {"quantity", 1'000'000'000}}}),
                    {"items[0].quantity:out_of_range"});
    requireProblems(
        postItems({{{"product_id", many}, {"quantity", 6'000}}, {{"product_id", many}, {"quantity", 6'000}}}),
        {"items:out_of_range"});
    // With VAT it is too much, without it is not.
    requireProblems(postItems({{{"product_id", many}, {"quantity", 9'000}}}), {"items:out_of_range"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000'000'000}, stockOf(many));
    const json order = place({{{"product_id", many}, {"quantity", 8'000}}});
    CPPUNIT_ASSERT_EQUAL(json(967'999'999'999.03), order["groups"][0]["total"]);
}

} // namespace supplierd::tests
