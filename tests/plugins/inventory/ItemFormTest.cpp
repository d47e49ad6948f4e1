#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

namespace {

struct WrongItem {
    std::string item;
    std::string sku;
    std::string error;
    std::string code;
};

constexpr const char* NO_ID = "product_id or sku is required";

} // namespace

/// What a client may send in place of good items.
class ItemFormTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<InventoryClient>();
        _product = _supplier->create({{"sku", "A"}, {"stock_qty", 5}});
    }

protected:
    void requireProblem(const std::string& path, const std::string& body, const std::string& code) {
        const HttpResponse response = _supplier->postText(path, body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.substr(0, 200), 422, response.status);
        const json error = response.error();
        CPPUNIT_ASSERT_EQUAL(json("VALIDATION_ERROR"), error["code"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, error["details"].size());
        CPPUNIT_ASSERT_EQUAL(json("items"), error["details"][0]["field"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.substr(0, 200), json(code), error["details"][0]["code"]);
        CPPUNIT_ASSERT_EQUAL(error["message"], error["details"][0]["message"]);
    }

    std::unique_ptr<InventoryClient> _supplier;
    json _product;
};

TEST(ItemFormTest, itemsMustBeAnArrayOfOneToFiveHundred) {
    json many = json::array();
    for (int i = 0; i < 501; ++i)
        many.push_back({{"sku", "A"}, {"stock_qty", 1}, {"base_price", 1}});
    for (const char* path : {"/stock", "/prices"}) {
        requireProblem(path, "{}", "required");
        requireProblem(path, R"({"items": null})", "required");
        requireProblem(path, R"({"items": []})", "required");
        requireProblem(path, R"({"items": {}})", "type");
        requireProblem(path, R"({"items": {"sku": "A", "stock_qty": 1, "base_price": 1}})", "type");
        requireProblem(path, R"({"items": "A"})", "type");
        requireProblem(path, R"({"items": 1})", "type");
        requireProblem(path, json{{"items", many}}.dump(), "too_many");
    }
    CPPUNIT_ASSERT_EQUAL(_product, _supplier->read(_product["id"]));
    many.erase(many.begin());
    CPPUNIT_ASSERT_EQUAL(allUpdated(500), _supplier->stock(many));
}

TEST(ItemFormTest, aBodyThatIsNoJsonChangesNothing) {
    for (const std::string body :
         {R"({"items": [{"sku": "A", "stock_qty": 1}])", R"([{"sku": "A", "stock_qty": 1}])", "",
          R"({"items": [{"sku": "A", "stock_qty": 1}, {"sku": ")"
          "\xff"
          R"(", "stock_qty": 1}]})",
          R"({"items": [{"sku": "A", "stock_qty": 1}, {"sku": "\u0000", "stock_qty": 1}]})",
          R"({"items": [{"sku": "A", "stock_qty": 1}, {"sku": "\ud800", "stock_qty": 1}]})",
          R"({"items": [{"sku": "A", "stock_qty": 1, "stock_qty": 2}]})"}) {
        const HttpResponse response = _supplier->postText("/stock", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body, 422, response.status);
    }
    CPPUNIT_ASSERT_EQUAL(
        415,
        _supplier->request("POST", "/stock", {{"Content-Type", "text/plain"}}, R"({"items": [{"sku": "A"}]})").status);
    CPPUNIT_ASSERT_EQUAL(_product, _supplier->read(_product["id"]));
}

TEST(ItemFormTest, everyKindOfWrongItemHasItsError) {
    const std::string longSku(64, 'x');
    const WrongItem items[] = {
        {"null", "", "item must be an object", "type"},
        {"5", "", "item must be an object", "type"},
        {R"("A")", "", "item must be an object", "type"},
        {"[]", "", "item must be an object", "type"},
        {R"([{"sku": "A", "stock_qty": 1}])", "", "item must be an object", "type"},
        {"{}", "", NO_ID, "required"},
        {R"({"stock_qty": 1})", "", NO_ID, "required"},
        {R"({"sku": "", "stock_qty": 1})", "", NO_ID, "required"},
        {R"({"sku": "  ", "stock_qty": 1})", "  ", NO_ID, "required"},
        {R"({"sku": null, "product_id": null, "stock_qty": 1})", "", NO_ID, "required"},
        {R"({"sku": 7, "stock_qty": 1})", "", "sku must be a text", "type"},
        {R"({"sku": ["A"], "stock_qty": 1})", "", "sku must be a text", "type"},
        {R"({"sku": true, "product_id": 1, "stock_qty": 1})", "", "sku must be a text", "type"},
        {R"({"sku": ")" + longSku + R"(", "stock_qty": 1})", longSku, "Product not found", "not_found"},
        {R"({"sku": ")" + longSku + R"(y", "stock_qty": 1})", longSku + "y", "Product not found", "not_found"},
        {R"({"product_id": "1", "stock_qty": 1})", "", "product_id must be an integer", "type"},
        {R"({"product_id": 1.0, "stock_qty": 1})", "", "product_id must be an integer", "type"},
        {R"({"product_id": 1e3, "sku": "A", "stock_qty": 1})", "A", "product_id must be an integer", "type"},
        {R"({"product_id": {}, "stock_qty": 1})", "", "product_id must be an integer", "type"},
        {R"({"product_id": 0, "stock_qty": 1})", "", "Product not found", "not_found"},
        {R"({"product_id": -1, "stock_qty": 1})", "", "Product not found", "not_found"},
        {R"({"product_id": 9223372036854775807, "stock_qty": 1})", "", "Product not found", "not_found"},
        {R"({"product_id": 9223372036854775808, "stock_qty": 1})", "", "Product not found", "not_found"},
        {R"({"product_id": -99999999999999999999, "stock_qty": 1})", "", "Product not found", "not_found"},
        {R"({"product_id": 1e400, "stock_qty": 1})", "", "product_id must be an integer", "type"},
        {R"({"product_id": )" + std::string(400, '9') + R"(, "stock_qty": 1})", "", "Product not found", "not_found"},
        {R"({"sku": "A"})", "A", WRONG_STOCK, "required"},
        {R"({"sku": "A", "stock_qty": 1e400})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "stock_qty": null})", "A", WRONG_STOCK, "required"},
        {R"({"sku": "A", "stock_qty": "5"})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "stock_qty": 5.5})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "stock_qty": 5.0})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "stock_qty": -1})", "A", WRONG_STOCK, "out_of_range"},
        {R"({"sku": "A", "stock_qty": 1000000001})", "A", WRONG_STOCK, "out_of_range"},
        {R"({"sku": "A", "stock_qty": 18446744073709551616})", "A", WRONG_STOCK, "out_of_range"},
        {R"({"sku": "A", "stock_qty": true})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "stock_qty": [1]})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "adjust": true})", "A", WRONG_STOCK, "required"},
        {R"({"sku": "A", "adjust": true, "stock_qty": 1.5})", "A", WRONG_STOCK, "type"},
        {R"({"sku": "A", "adjust": 1, "stock_qty": 1})", "A", "adjust must be true or false", "type"},
        {R"({"sku": "A", "adjust": "true", "stock_qty": 1})", "A", "adjust must be true or false", "type"},
        {R"({"sku": "A", "stock_qty": 1, "expected_stock_qty": "5"})", "A",
         "expected_stock_qty must be an integer of at least 0", "type"},
        {R"({"sku": "A", "stock_qty": 1, "expected_stock_qty": -1})", "A",
         "expected_stock_qty must be an integer of at least 0", "out_of_range"},
    };
    std::string body = R"({"items": [)";
    std::vector<json> expected;
    for (const WrongItem& wrong : items) {
        body += (expected.empty() ? "" : ", ") + wrong.item;
        expected.push_back(failure(expected.size(), wrong.sku, wrong.error, wrong.code));
    }
    const HttpResponse response = _supplier->postText("/stock", body + "]}");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(outcome(0, expected), response.data());
    CPPUNIT_ASSERT_EQUAL(_product, _supplier->read(_product["id"]));
}

TEST(ItemFormTest, wrongItemsBesideGoodOnes) {
    const HttpResponse response = _supplier->postText(
        "/stock", R"({"items": [null, {"sku": "A", "stock_qty": 8}, {"sku": "A", "stock_qty": "9"}, 3]})");
    CPPUNIT_ASSERT_EQUAL(
        outcome(1, {failure(0, "", "item must be an object", "type"), failure(2, "A", WRONG_STOCK, "type"),
                    failure(3, "", "item must be an object", "type")}),
        response.data());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, _supplier->stockOf(_product["id"]));
}

TEST(ItemFormTest, wrongItemsAloneAreStillASuccessAndWriteNothing) {
    const std::int64_t seq = _supplier->changeSeq();
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "A", WRONG_STOCK, "out_of_range")}),
                         _supplier->stock({{{"sku", "A"}, {"stock_qty", -5}}}));
    CPPUNIT_ASSERT_EQUAL(seq, _supplier->changeSeq());
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "NONE", "Product not found")}),
                         _supplier->stock({{{"sku", "NONE"}, {"stock_qty", 5}}}));
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier->changedAfter(seq));
}

TEST(ItemFormTest, unknownFieldsAreIgnored) {
    const HttpResponse response = _supplier->post(
        "/stock", {{"note", "x"}, {"items", {{{"sku", "A"}, {"stock_qty", 6}, {"base_price", "x"}, {"x", nullptr}}}}});
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), response.data());
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), _supplier
                                            ->postText("/stock", R"({"x": 1e400, "items": [{"sku": "A", "stock_qty": 6,
                                                     "x": [-1e400, {"y": 1e-400}]}]})")
                                            .data());
    CPPUNIT_ASSERT_EQUAL(_product["base_price"], _supplier->read(_product["id"])["base_price"]);
}

TEST(ItemFormTest, theSkuOfAnErrorIsTheOneSent) {
    const std::string odd = " \"<none>\" \\ 💐 \t";
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, odd, "Product not found")}),
                         _supplier->stock({{{"sku", odd}, {"stock_qty", 1}}}));
    CPPUNIT_ASSERT_EQUAL(
        outcome(0, {failure(0, "A", "Product not found")}),
        _supplier->stock({{{"sku", "A"}, {"product_id", _product["id"].get<int>() + 1'000'000}, {"stock_qty", 1}}}));
}

} // namespace supplierd::tests
