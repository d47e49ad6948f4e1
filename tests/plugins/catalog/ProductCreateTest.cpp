#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

class ProductCreateTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductCreateTest, createdProductAwaitsApproval) {
    const HttpResponse response = _supplier->postProduct();
    requireStatus(201, response);
    const json data = response.data();
    const json product = data["product"];
    CPPUNIT_ASSERT_EQUAL(json::array(), data["image_errors"]);
    CPPUNIT_ASSERT_EQUAL("/api/v1/supplier/products/" + std::to_string(product["id"].get<std::int64_t>()),
                         response.header("Location"));
    CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), response.header("ETag"));
    CPPUNIT_ASSERT_EQUAL(json(false), product["is_approved"]);
    CPPUNIT_ASSERT_EQUAL(json(true), product["is_active"]);
    CPPUNIT_ASSERT_EQUAL(json({{"status", "pending"}, {"reason", nullptr}}), product["approval"]);
    CPPUNIT_ASSERT_EQUAL(json(1), product["version"]);
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
    _supplier->requireTrueTotals();
}

TEST(ProductCreateTest, defaultsAreThoseOfTheSpec) {
    const json product = _supplier->create();
    CPPUNIT_ASSERT_EQUAL(json("flower"), product["type"]);
    CPPUNIT_ASSERT_EQUAL(json(0), product["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json("out_of_stock"), product["stock_status"]);
    CPPUNIT_ASSERT_EQUAL(json(1), product["min_order_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(21), product["vat_rate"]);
    for (const char* field : {"sku", "description", "color", "stem_length", "country_of_origin", "primary_image"}) {
        CPPUNIT_ASSERT_MESSAGE(field, product.contains(field));
        CPPUNIT_ASSERT_MESSAGE(field, product[field].is_null());
    }
    CPPUNIT_ASSERT_EQUAL(json::array(), product["images"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), product["variants"]);
}

TEST(ProductCreateTest, everyFieldIsStoredAndShown) {
    const json sent{{"name", "Satin ribbon 💐"}, {"category_id", ribbons()}, {"base_price", 12},
                    {"unit", "roll"},           {"type", "supply"},         {"description", "Two lines\nof text"},
                    {"sku", "RIB-1"},           {"stock_qty", 5},           {"min_order_qty", 10},
                    {"color", "red"},           {"stem_length", 60},        {"country_of_origin", "NL"},
                    {"vat_rate", 9.5}};
    const json product = _supplier->create(sent);
    for (const auto& [name, value] : sent.items())
        if (name != "category_id")
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, value, product[name]);
    CPPUNIT_ASSERT_EQUAL(json({{"id", ribbons()}, {"name", "Ribbons"}}), product["category"]);
    CPPUNIT_ASSERT_EQUAL(json("low_stock"), product["stock_status"]);
    CPPUNIT_ASSERT_EQUAL(json("Z"), json(product["created_at"].get<std::string>().substr(19)));
}

TEST(ProductCreateTest, priceIsExact) {
    for (const std::string price : {"0.29", "12", "0.085", "99999999.9999", "0.0001", "0", "1e2", "19.90"}) {
        const HttpResponse response = _supplier->postText("/products", R"({"name":"x","unit":"stem","category_id":)" +
                                                                           std::to_string(fixture().category()) +
                                                                           R"(,"base_price":)" + price + "}");
        requireStatus(201, response);
        const std::string shown = price == "1e2" ? "100" : price == "19.90" ? "19.9" : price;
        CPPUNIT_ASSERT_MESSAGE(response.body, response.body.find("\"base_price\":" + shown + ",") != std::string::npos);
    }
}

TEST(ProductCreateTest, missingRequiredFieldsAreAllNamed) {
    requireProblems(_supplier->post("/products", json::object()),
                    {"name:required", "category_id:required", "base_price:required", "unit:required"});
    requireProblems(_supplier->postText("/products", R"({"name":null,"unit":null})"),
                    {"name:required", "category_id:required", "base_price:required", "unit:required"});
}

TEST(ProductCreateTest, everyWrongFieldIsNamedAtOnce) {
    const json wrong{{"name", 5},          {"category_id", "1"}, {"base_price", "0.5"}, {"unit", "stems"},
                     {"type", "plant"},    {"description", {}},  {"sku", true},         {"stock_qty", -1},
                     {"min_order_qty", 0}, {"color", 1},         {"stem_length", 0},    {"country_of_origin", "XX"},
                     {"vat_rate", 100.5},  {"variants", "none"}};
    json body = wrong;
    body["description"] = json::array();
    requireProblems(_supplier->post("/products", body),
                    {"name:type", "category_id:type", "base_price:type", "unit:not_in_set", "type:not_in_set",
                     "description:type", "sku:type", "stock_qty:out_of_range", "min_order_qty:out_of_range",
                     "color:type", "stem_length:out_of_range", "country_of_origin:not_in_set", "vat_rate:out_of_range",
                     "variants:type"});
    for (const char* notInteger : {"5.5", "5.0", "\"5\"", "true"})
        requireProblems(_supplier->postText("/products", R"({"name":"x","unit":"stem","base_price":1,"category_id":)" +
                                                             std::to_string(fixture().category()) + R"(,"stock_qty":)" +
                                                             notInteger + "}"),
                        {"stock_qty:type"});
}

TEST(ProductCreateTest, whatOnlyTheDatabaseKnowsIsNamedBesideTheRest) {
    const auto taken = _supplier->create({{"sku", "TAKEN"}})["id"];
    const HttpResponse response =
        _supplier->postProduct({{"base_price", -1}, {"category_id", 999999}, {"sku", "taken"}});
    requireProblems(response, {"base_price:out_of_range", "category_id:unknown_reference", "sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(taken, response.error()["existing_product_id"]);
}

TEST(ProductCreateTest, tooLongTextsAreRefusedByCodePoints) {
    const auto repeated = [](const std::string& text, int times) {
        std::string all;
        for (int i = 0; i < times; ++i)
            all += text;
        return all;
    };
    const json longest{{"name", repeated("💐", 255)},
                       {"sku", repeated("💐", 64)},
                       {"description", repeated("💐", 10'000)},
                       {"color", repeated("é", 64)},
                       {"country_of_origin", repeated("é", 64)}};
    const json product = _supplier->create(longest);
    for (const auto& [name, value] : longest.items())
        CPPUNIT_ASSERT_MESSAGE(name, value == product[name]);
    json tooLong = longest;
    for (auto& value : tooLong)
        value = value.get<std::string>() + "x";
    requireProblems(_supplier->postProduct(tooLong), {"name:too_long", "sku:too_long", "description:too_long",
                                                      "color:too_long", "country_of_origin:too_long"});
}

TEST(ProductCreateTest, textIsTrimmedAndEmptyRequiredTextIsMissing) {
    const json product = _supplier->create({{"name", " \t Rosa \n"}, {"sku", "  A 1  "}, {"color", "  "}});
    CPPUNIT_ASSERT_EQUAL(json("Rosa"), product["name"]);
    CPPUNIT_ASSERT_EQUAL(json("A 1"), product["sku"]);
    CPPUNIT_ASSERT(product["color"].is_null());
    for (const char* blank : {"   ", "\u200B", "\u2060 \u00AD", "\u3164"})
        requireProblems(_supplier->postProduct({{"name", blank}}), {"name:required"});
    requireProblems(_supplier->postProduct({{"unit", " "}}), {"unit:required"});
    CPPUNIT_ASSERT_EQUAL(json("bunch"), _supplier->create({{"unit", " bunch "}, {"type", ""}})["unit"]);
}

TEST(ProductCreateTest, outOfRangePricesAreRefused) {
    for (const char* price : {"-0.01", "100000000", "0.00001", "1e400", "99999999.99991"})
        requireProblems(_supplier->postText("/products", R"({"name":"x","unit":"stem","category_id":)" +
                                                             std::to_string(fixture().category()) +
                                                             R"(,"base_price":)" + price + "}"),
                        {"base_price:out_of_range"});
}

TEST(ProductCreateTest, priceLimitsAreAccepted) {
    const json product = _supplier->create({{"stock_qty", 1'000'000'000}, {"vat_rate", 100}, {"stem_length", 1}});
    CPPUNIT_ASSERT_EQUAL(json(1'000'000'000), product["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(100), product["vat_rate"]);
    requireProblems(_supplier->postProduct({{"stock_qty", 1'000'000'001}}), {"stock_qty:out_of_range"});
}

TEST(ProductCreateTest, countryIsACodeInUpperCaseOrAName) {
    for (const char* good : {"NL", "ZW", "AD", "Kenya", "日本", "K"})
        CPPUNIT_ASSERT_EQUAL(json(good), _supplier->create({{"country_of_origin", good}})["country_of_origin"]);
    for (const char* wrong : {"nl", "Nl", "UK", "DA", "ZZ"})
        requireProblems(_supplier->postProduct({{"country_of_origin", wrong}}), {"country_of_origin:not_in_set"});
}

TEST(ProductCreateTest, inactiveCategoryIsAnUnknownReference) {
    const std::int64_t category = fixture().server().createCategory("Closed");
    fixture().database().exec("UPDATE categories SET is_active = 0 WHERE id = " + std::to_string(category));
    requireProblems(_supplier->postProduct({{"category_id", category}}), {"category_id:unknown_reference"});
}

TEST(ProductCreateTest, imageUrlSaysThatTheMediaPluginIsNotEnabled) {
    const HttpResponse response = _supplier->postProduct({{"image_url", "https://example.com/a.jpg"}});
    requireProblems(response, {"image_url:unsupported"});
    CPPUNIT_ASSERT(response.error()["message"].get<std::string>().find("media plugin") != std::string::npos);
    CPPUNIT_ASSERT(_supplier->ids().empty());
}

TEST(ProductCreateTest, unknownFieldsAreIgnored) {
    const json product = _supplier->create({{"is_approved", true}, {"id", 7}, {"version", 9}, {"wings", {1, 2}}});
    CPPUNIT_ASSERT_EQUAL(json(false), product["is_approved"]);
    CPPUNIT_ASSERT_EQUAL(json(1), product["version"]);
    CPPUNIT_ASSERT(!product.contains("wings"));
}

TEST(ProductCreateTest, refusedCreateLeavesNothing) {
    _supplier->create({{"sku", "ONE"}});
    requireProblems(_supplier->postProduct({{"sku", "ONE"}, {"variants", {{{"name", "a"}}}}}), {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->ids().size());
    _supplier->requireTrueTotals();
}

TEST(ProductCreateTest, scopeIsNeeded) {
    SupplierClient reader({.scopes = "products:read"});
    const HttpResponse response = reader.postProduct();
    requireStatus(403, response);
    CPPUNIT_ASSERT_EQUAL(json("scope"), response.error()["details"][0]["code"]);
    CPPUNIT_ASSERT(reader.ids().empty());
    SupplierClient writer({.scopes = "products:write"});
    requireStatus(403, writer.get("/products"));
    writer.create();
}

} // namespace supplierd::tests
