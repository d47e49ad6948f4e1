#include "CatalogFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <atomic>
#include <string>

namespace supplierd::tests {

class ProductWriteTest : public CppUnit::TestFixture {
protected:
    SupplierClient _supplier;
};

/// As a release before the keys left them behind.
TEST(ProductWriteTest, skusThatWaitForTheirKeysGetThemWhenAServerStarts) {
    TestDatabase& database = fixture().database();
    const json product = _supplier.create({{"sku", "Rosé"}, {"variants", {{{"name", "v"}, {"sku", "Rosé-V"}}}}});
    const std::int64_t deleted = _supplier.create({{"sku", "Gelé"}})["id"];
    _supplier.remove(deleted);
    const std::int64_t first = _supplier.create({{"sku", "\u1C90"}})["id"]; // Georgian: a capital, and a small letter
    const std::int64_t second = _supplier.create({{"sku", "other"}})["id"];
    const std::string all = "(SELECT id FROM products WHERE supplier_id = " + std::to_string(_supplier.id()) + ")";
    database.exec("UPDATE products SET sku = '\u10D0' WHERE id = " + std::to_string(second));
    database.exec("INSERT INTO skus_without_key SELECT product_id, variant_id FROM product_skus WHERE product_id IN " +
                  all);
    database.exec("DELETE FROM product_skus WHERE product_id IN " + all);

    const ServerProcess another(database);

    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database.integer("SELECT COUNT(*) FROM skus_without_key"));
    const std::int64_t id = product["id"];
    CPPUNIT_ASSERT(_supplier.ids("sku=" + escaped("rosé")) == std::vector<std::int64_t>{id});
    CPPUNIT_ASSERT(_supplier.ids("include_deleted=true&sku=" + escaped("gelé")) == std::vector<std::int64_t>{deleted});
    CPPUNIT_ASSERT(_supplier.ids("sku=" + escaped("\u10D0")) == std::vector<std::int64_t>{first});
    requireProblems(_supplier.postProduct({{"sku", "ROSÉ-v"}}), {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(json("\u10D0"), _supplier.read(second)["sku"]);
}

TEST(ProductWriteTest, oneOfTwoRacingCreatesWins) {
    for (int round = 0; round < 30; ++round) {
        const json body = _supplier.productBody({{"sku", "RACE-" + std::to_string(round)}});
        std::atomic<int> created{0};
        std::atomic<int> refused{0};
        together(2, [&](int) {
            HttpClient client = _supplier.anotherClient();
            const HttpResponse response = client.post("/products", body);
            if (response.status == 201)
                ++created;
            else if (response.status == 422 && response.error()["details"][0]["code"] == "duplicate")
                ++refused;
        });
        CPPUNIT_ASSERT_EQUAL(1, created.load());
        CPPUNIT_ASSERT_EQUAL(1, refused.load());
    }
    _supplier.requireTrueTotals();
}

TEST(ProductWriteTest, wrongBodyWaitsForNobodyWhoChangesTheProduct) {
    const json product = _supplier.create();
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
    requireProblems(_supplier.post(pathOf(product), {{"base_price", -1}}), {"base_price:out_of_range"});
}

} // namespace supplierd::tests
