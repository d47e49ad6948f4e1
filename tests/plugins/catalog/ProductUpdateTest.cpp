#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

class ProductUpdateTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    HttpResponse post(const json& product, const json& changes) {
        return _supplier->post("/products/" + std::to_string(product["id"].get<std::int64_t>()), changes);
    }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductUpdateTest, onlyTheNamedFieldsChange) {
    const json before = _supplier->create({{"sku", "A"}, {"color", "red"}, {"stock_qty", 7}});
    json expected = before;
    const json after = _supplier->update(before["id"], {{"name", "Other"}, {"base_price", 1.25}});
    expected["name"] = "Other";
    expected["base_price"] = 1.25;
    expected["version"] = 2;
    expected["updated_at"] = after["updated_at"];
    CPPUNIT_ASSERT_EQUAL(expected, after);
    CPPUNIT_ASSERT_EQUAL(after, _supplier->read(before["id"]));
}

TEST(ProductUpdateTest, eachFieldAloneLeavesTheOthersAsTheyAre) {
    json expected = _supplier->create({{"sku", "ÄÖ-1"},
                                       {"color", "röd"},
                                       {"stem_length", 60},
                                       {"country_of_origin", "NL"},
                                       {"vat_rate", 9.0125},
                                       {"base_price", 99999999.9999},
                                       {"stock_qty", 1'000'000'000},
                                       {"description", std::string(9'000, 'd') + "💐"}});
    const json changes{{"name", "N"},
                       {"base_price", 0.0001},
                       {"unit", "meter"},
                       {"type", "supply"},
                       {"stock_qty", 3},
                       {"min_order_qty", 2},
                       {"color", nullptr},
                       {"stem_length", nullptr},
                       {"vat_rate", 0},
                       {"is_active", false},
                       {"sku", nullptr},
                       {"description", nullptr},
                       {"country_of_origin", nullptr}};
    for (const auto& [name, value] : changes.items()) {
        const json after = _supplier->update(expected["id"], {{name, value}});
        expected[name] = value;
        for (const char* follows : {"version", "updated_at", "stock_status"})
            expected[follows] = after[follows];
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, expected, after);
    }
}

TEST(ProductUpdateTest, eachFieldOfAVariantAloneLeavesTheOthersAsTheyAre) {
    const json product = _supplier->create({{"variants", json::array({{{"name", "60 cm"},
                                                                       {"sku", "V"},
                                                                       {"color", "red"},
                                                                       {"stem_length", 60},
                                                                       {"base_price", 0.0850},
                                                                       {"stock_qty", 7}}})}});
    json expected = product["variants"][0];
    const json changes{{"name", "N"},    {"sku", nullptr},     {"color", nullptr},     {"stem_length", nullptr},
                       {"stock_qty", 9}, {"is_active", false}, {"base_price", nullptr}};
    for (const auto& [name, value] : changes.items()) {
        const json change{{"id", expected["id"]}, {name, value}};
        const json after = _supplier->update(product["id"], {{"variants", json::array({change})}})["variants"][0];
        expected[name] = value;
        expected["stock_status"] = after["stock_status"];
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, expected, after);
    }
}

TEST(ProductUpdateTest, everyFieldCanBeChanged) {
    const json product = _supplier->create();
    const json changes{{"name", "N"},     {"category_id", ribbons()}, {"base_price", 0.0001},
                       {"unit", "meter"}, {"type", "supply"},         {"description", "D"},
                       {"sku", "S"},      {"stock_qty", 3},           {"min_order_qty", 2},
                       {"color", "C"},    {"stem_length", 9},         {"country_of_origin", "KE"},
                       {"vat_rate", 0},   {"is_active", false}};
    const json after = _supplier->update(product["id"], changes);
    for (const auto& [name, value] : changes.items())
        if (name != "category_id")
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, value, after[name]);
    CPPUNIT_ASSERT_EQUAL(json("Ribbons"), after["category"]["name"]);
    CPPUNIT_ASSERT_EQUAL(json("in_stock"), after["stock_status"]);
    _supplier->requireTrueTotals();
}

TEST(ProductUpdateTest, nullClearsOptionalFieldsAndRestoresDefaults) {
    const json product = _supplier->create({{"sku", "A"},
                                            {"description", "d"},
                                            {"color", "c"},
                                            {"stem_length", 5},
                                            {"country_of_origin", "NL"},
                                            {"vat_rate", 9},
                                            {"stock_qty", 4},
                                            {"min_order_qty", 3},
                                            {"type", "supply"}});
    const json after = _supplier->update(product["id"], {{"sku", nullptr},
                                                         {"description", nullptr},
                                                         {"color", nullptr},
                                                         {"stem_length", nullptr},
                                                         {"country_of_origin", nullptr},
                                                         {"vat_rate", nullptr},
                                                         {"stock_qty", nullptr},
                                                         {"min_order_qty", nullptr},
                                                         {"type", nullptr}});
    for (const char* field : {"sku", "description", "color", "stem_length", "country_of_origin"})
        CPPUNIT_ASSERT_MESSAGE(field, after[field].is_null());
    CPPUNIT_ASSERT_EQUAL(json(21), after["vat_rate"]);
    CPPUNIT_ASSERT_EQUAL(json(0), after["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(1), after["min_order_qty"]);
    CPPUNIT_ASSERT_EQUAL(json("flower"), after["type"]);
    _supplier->create({{"sku", "A"}});
    _supplier->requireTrueTotals();
}

TEST(ProductUpdateTest, nullOnARequiredFieldIsRefused) {
    const json product = _supplier->create();
    requireProblems(
        post(product, {{"name", nullptr},
                       {"category_id", nullptr},
                       {"base_price", nullptr},
                       {"unit", nullptr},
                       {"is_active", nullptr}}),
        {"name:required", "category_id:required", "base_price:required", "unit:required", "is_active:required"});
    requireProblems(post(product, {{"name", "  "}}), {"name:required"});
}

TEST(ProductUpdateTest, emptyBodyChangesNothing) {
    const json before = _supplier->create();
    CPPUNIT_ASSERT_EQUAL(before, _supplier->update(before["id"], json::object()));
    CPPUNIT_ASSERT_EQUAL(before, _supplier->update(before["id"], {{"wings", 2}}));
    requireStatus(404, _supplier->post("/products/999999999", json::object()));
    requireStatus(404, _supplier->post("/products/999999999", {{"name", ""}}));
}

TEST(ProductUpdateTest, updateNeverTouchesApproval) {
    const std::int64_t id = _supplier->create()["id"];
    fixture().server().approveProduct(id);
    const json after = _supplier->update(id, {{"name", "New"}, {"is_approved", false}, {"approval", "pending"}});
    CPPUNIT_ASSERT_EQUAL(json(true), after["is_approved"]);
    CPPUNIT_ASSERT_EQUAL(json("approved"), after["approval"]["status"]);
    _supplier->requireTrueTotals();
}

TEST(ProductUpdateTest, isActiveMovesBetweenStatuses) {
    const std::int64_t id = _supplier->create()["id"];
    const std::vector<std::int64_t> one{id};
    const std::vector<std::int64_t> none;
    CPPUNIT_ASSERT(_supplier->ids("status=pending") == one);
    _supplier->update(id, {{"is_active", false}});
    CPPUNIT_ASSERT(_supplier->ids("status=pending") == one);
    fixture().server().approveProduct(id);
    CPPUNIT_ASSERT(_supplier->ids("status=inactive") == one);
    CPPUNIT_ASSERT(_supplier->ids("status=pending") == none);
    _supplier->update(id, {{"is_active", true}});
    CPPUNIT_ASSERT(_supplier->ids("status=active") == one);
    CPPUNIT_ASSERT(_supplier->ids("status=inactive") == none);
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier->list("status=active")["pagination"]["total_items"]);
    _supplier->requireTrueTotals();
}

TEST(ProductUpdateTest, versionAndChangeSeqGrowWithEveryUpdate) {
    const std::int64_t id = _supplier->create()["id"];
    const json before = _supplier->list("changed_after=0")["products"][0];
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->update(id, {{"stock_qty", 1}})["version"]);
    const json after = _supplier->list("changed_after=0")["products"][0];
    CPPUNIT_ASSERT(before["change_seq"].get<std::int64_t>() < after["change_seq"].get<std::int64_t>());
}

TEST(ProductUpdateTest, wrongFieldsAreAllNamedAndNothingChanges) {
    const json before = _supplier->create({{"sku", "MINE"}});
    _supplier->create({{"sku", "THEIRS"}});
    requireProblems(
        post(before, {{"name", "ok"},
                      {"unit", "bucket"},
                      {"stock_qty", 1.5},
                      {"is_active", 1},
                      {"sku", "theirs"},
                      {"category_id", 999999}}),
        {"unit:not_in_set", "stock_qty:type", "is_active:type", "sku:duplicate", "category_id:unknown_reference"});
    requireProblems(post(before, {{"name", "ok"}, {"sku", "theirs"}, {"category_id", 999999}}),
                    {"sku:duplicate", "category_id:unknown_reference"});
    CPPUNIT_ASSERT_EQUAL(before, _supplier->read(before["id"]));
}

TEST(ProductUpdateTest, inactiveCategoryIsRefusedOnlyWhenNamed) {
    const std::int64_t category = fixture().server().createCategory("Seasonal");
    const json product = _supplier->create({{"category_id", category}});
    fixture().database().exec("UPDATE categories SET is_active = 0 WHERE id = " + std::to_string(category));
    CPPUNIT_ASSERT_EQUAL(json("x"), _supplier->update(product["id"], {{"name", "x"}})["name"]);
    requireProblems(post(product, {{"category_id", category}}), {"category_id:unknown_reference"});
}

TEST(ProductUpdateTest, staleIfMatchIsRefused) {
    const json product = _supplier->create();
    const std::string path = "/products/" + std::to_string(product["id"].get<std::int64_t>());
    const json change{{"stock_qty", 1}};
    for (const char* stale : {"\"2\"", "W/\"1\"", "1", "\"0\", \"9\"", "\"\""}) {
        const HttpResponse response = _supplier->post(path, change, {{"If-Match", stale}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(stale, 412, response.status);
        CPPUNIT_ASSERT_EQUAL(json("PRECONDITION_FAILED"), response.error()["code"]);
    }
    requireStatus(412, _supplier->post(path, json::object(), {{"If-Match", "\"2\""}}));
    HttpResponse response = _supplier->post(path, change, {{"If-Match", "\"7\", \"1\""}});
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::string("\"2\""), response.header("ETag"));
    requireStatus(200, _supplier->post(path, change, {{"If-Match", "*"}}));
}

TEST(ProductUpdateTest, anotherSuppliersProductIsNotFound) {
    SupplierClient other;
    const json theirs = other.create();
    const std::string path = "/products/" + std::to_string(theirs["id"].get<std::int64_t>());
    requireStatus(404, _supplier->get(path));
    requireStatus(404, _supplier->post(path, {{"name", "mine"}}));
    requireStatus(404, _supplier->postEmpty(path + "/delete"));
    CPPUNIT_ASSERT_EQUAL(theirs, other.read(theirs["id"]));
}

TEST(ProductUpdateTest, imageUrlIsUnsupported) {
    requireProblems(post(_supplier->create(), {{"image_url", "https://example.com/a.jpg"}}), {"image_url:unsupported"});
}

TEST(ProductUpdateTest, wrongBodyWaitsForNobodyWhoChangesTheProduct) {
    const json product = _supplier->create();
    struct Held {
        explicit Held(const json& id) {
            database().exec("START TRANSACTION");
            database().exec("UPDATE products SET version = version + 1 WHERE id = " + id.dump());
        }
        ~Held() { database().exec("ROLLBACK"); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        static TestDatabase& database() { return fixture().database(); }
    } const held(product["id"]);
    requireProblems(post(product, {{"base_price", -1}}), {"base_price:out_of_range"});
}

TEST(ProductUpdateTest, deletedProductIsGoneEverywhere) {
    const json product = _supplier->create();
    const std::string path = "/products/" + std::to_string(product["id"].get<std::int64_t>());
    const HttpResponse response = _supplier->postEmpty(path + "/delete");
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(json({{"id", product["id"]}, {"deleted", true}}), response.data());
    requireStatus(404, _supplier->get(path));
    requireStatus(404, _supplier->post(path, {{"name", "x"}}));
    requireStatus(404, _supplier->postEmpty(path + "/delete"));
    CPPUNIT_ASSERT(_supplier->ids().empty());
    CPPUNIT_ASSERT_EQUAL(json(0), _supplier->list()["pagination"]["total_items"]);
    _supplier->requireTrueTotals();
}

TEST(ProductUpdateTest, deleteWithStaleIfMatchIsRefused) {
    const json product = _supplier->create();
    const std::string path = "/products/" + std::to_string(product["id"].get<std::int64_t>()) + "/delete";
    requireStatus(412, _supplier->postEmpty(path, {{"If-Match", "\"2\""}}));
    requireStatus(200, _supplier->postEmpty(path, {{"If-Match", "\"1\""}}));
}

TEST(ProductUpdateTest, deleteFreesTheSkus) {
    const json sent{{"sku", "P"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}};
    _supplier->remove(_supplier->create(sent)["id"]);
    _supplier->create(sent);
    _supplier->requireTrueTotals();
}

} // namespace supplierd::tests
