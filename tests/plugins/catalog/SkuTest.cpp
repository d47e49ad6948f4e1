#include "CatalogWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

using nlohmann::json;

class SkuTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(SkuTest);
    CPPUNIT_TEST(testDuplicateNamesTheProductThatHasTheSku);
    CPPUNIT_TEST(testCaseMakesNoDifference);
    CPPUNIT_TEST(testDifferentEmojiAreDifferentSkus);
    CPPUNIT_TEST(testOwnSkuIsNoDuplicate);
    CPPUNIT_TEST(testVariantsShareTheUniquenessOfProducts);
    CPPUNIT_TEST(testAllDuplicatesOfARequestAreNamed);
    CPPUNIT_TEST(testAnotherSupplierMayUseTheSameSku);
    CPPUNIT_TEST(testGivenUpSkuIsFree);
    CPPUNIT_TEST(testOneOfTwoRacingCreatesWins);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _shop = std::make_unique<Shop>(); }

    void testDuplicateNamesTheProductThatHasTheSku() {
        const json first = _shop->create({{"sku", "ROSE-1"}});
        const HttpResponse response = _shop->http().post("/products", Shop::body({{"sku", "ROSE-1"}}));
        Shop::requireProblems(response, {"sku:duplicate"});
        CPPUNIT_ASSERT_EQUAL(first["id"], response.error()["existing_product_id"]);
        CPPUNIT_ASSERT_EQUAL(first["id"], response.error()["details"][0]["existing_product_id"]);
    }

    void testCaseMakesNoDifference() {
        _shop->create({{"sku", "Rose-é"}});
        Shop::requireProblems(_shop->http().post("/products", Shop::body({{"sku", "rOSE-É"}})), {"sku:duplicate"});
    }

    void testDifferentEmojiAreDifferentSkus() {
        _shop->create({{"sku", "💐"}});
        _shop->create({{"sku", "🌹"}});
        Shop::requireProblems(_shop->http().post("/products", Shop::body({{"sku", "🌹"}})), {"sku:duplicate"});
    }

    void testOwnSkuIsNoDuplicate() {
        const json product = _shop->create({{"sku", "own"}, {"variants", {{{"name", "v"}, {"sku", "own-v"}}}}});
        const json variant = product["variants"][0]["id"];
        _shop->update(product["id"], {{"sku", "own"}, {"variants", {{{"id", variant}, {"sku", "own-v"}}}}});
        const json after =
            _shop->update(product["id"], {{"sku", "OWN"}, {"variants", {{{"id", variant}, {"sku", "OWN-V"}}}}});
        CPPUNIT_ASSERT_EQUAL(json("OWN"), after["sku"]);
        CPPUNIT_ASSERT_EQUAL(json("OWN-V"), after["variants"][0]["sku"]);
    }

    void testVariantsShareTheUniquenessOfProducts() {
        const json product = _shop->create({{"sku", "P"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}});
        Shop::requireProblems(_shop->http().post("/products", Shop::body({{"sku", "v"}})), {"sku:duplicate"});
        const HttpResponse response =
            _shop->http().post("/products", Shop::body({{"variants", {{{"name", "w"}, {"sku", "p"}}}}}));
        Shop::requireProblems(response, {"variants[0].sku:duplicate"});
        CPPUNIT_ASSERT_EQUAL(product["id"], response.error()["existing_product_id"]);
        Shop::requireProblems(
            _shop->http().post("/products/" + std::to_string(product["id"].get<std::int64_t>()), {{"sku", "V"}}),
            {"sku:duplicate"});
    }

    void testAllDuplicatesOfARequestAreNamed() {
        _shop->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "B"}}}}});
        Shop::requireProblems(_shop->http().post("/products", Shop::body({{"sku", "a"},
                                                                          {"variants",
                                                                           {{{"name", "1"}, {"sku", "new"}},
                                                                            {{"name", "2"}, {"sku", "b"}},
                                                                            {{"name", "3"}, {"sku", "NEW"}}}}})),
                              {"sku:duplicate", "variants[1].sku:duplicate", "variants[2].sku:duplicate"});
    }

    void testAnotherSupplierMayUseTheSameSku() {
        Shop other;
        other.create({{"sku", "SHARED"}});
        _shop->create({{"sku", "SHARED"}});
    }

    void testGivenUpSkuIsFree() {
        const json product = _shop->create({{"sku", "old"}, {"variants", {{{"name", "v"}, {"sku", "old-v"}}}}});
        const json variant = product["variants"][0]["id"];
        _shop->update(product["id"], {{"sku", "new"}, {"variants", {{{"id", variant}, {"sku", nullptr}}}}});
        _shop->create({{"sku", "old"}});
        _shop->create({{"sku", "old-v"}});
        Shop::requireProblems(_shop->http().post("/products", Shop::body({{"sku", "new"}})), {"sku:duplicate"});
    }

    void testOneOfTwoRacingCreatesWins() {
        for (int round = 0; round < 30; ++round) {
            const json body = Shop::body({{"sku", "RACE-" + std::to_string(round)}});
            std::atomic<int> created{0};
            std::atomic<int> refused{0};
            const auto race = [&] {
                HttpClient client = _shop->anotherClient();
                const HttpResponse response = client.post("/products", body);
                if (response.status == 201)
                    ++created;
                else if (response.status == 422 && response.error()["details"][0]["code"] == "duplicate")
                    ++refused;
            };
            std::thread first(race);
            std::thread second(race);
            first.join();
            second.join();
            CPPUNIT_ASSERT_EQUAL(1, created.load());
            CPPUNIT_ASSERT_EQUAL(1, refused.load());
        }
        _shop->requireTrueTotals();
    }

private:
    std::unique_ptr<Shop> _shop;
};

CPPUNIT_TEST_SUITE_REGISTRATION(SkuTest);

} // namespace supplierd::tests
