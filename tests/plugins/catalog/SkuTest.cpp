#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

using nlohmann::json;

class SkuTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    std::unique_ptr<SupplierClient> _supplier;
};

TEST(SkuTest, duplicateNamesTheProductThatHasTheSku) {
    const json first = _supplier->create({{"sku", "ROSE-1"}});
    const HttpResponse response = _supplier->postProduct({{"sku", "ROSE-1"}});
    requireProblems(response, {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(first["id"], response.error()["existing_product_id"]);
    CPPUNIT_ASSERT_EQUAL(first["id"], response.error()["details"][0]["existing_product_id"]);
}

TEST(SkuTest, caseMakesNoDifference) {
    _supplier->create({{"sku", "Rose-é"}});
    requireProblems(_supplier->postProduct({{"sku", "rOSE-É"}}), {"sku:duplicate"});
}

TEST(SkuTest, compositionMakesNoDifference) {
    _supplier->create({{"sku", "ROSE-\u00C9"}});
    _supplier->create({{"sku", "\u1E9E"}});
    requireProblems(_supplier->postProduct({{"sku", "rose-e\u0301"}}), {"sku:duplicate"});
    requireProblems(_supplier->postProduct({{"sku", "SS"}}), {"sku:duplicate"});
}

TEST(SkuTest, everythingElseMakesADifference) {
    for (const char* sku :
         {"ROSE-E", "ROSE-É", "ROSE-È", "BOX1", "BOX①", "か-1", "が-1", "カ-1", "A B", "AB", "x\x01", "x", "ø", "o"})
        CPPUNIT_ASSERT_EQUAL(json(sku), _supplier->create({{"sku", sku}})["sku"]);
}

TEST(SkuTest, invisibleCharactersAreRefused) {
    const json product = _supplier->create({{"sku", "SEEN"}});
    for (const char* sku : {"SEEN\u200B", "SE\u00ADEN", "\uFEFFSEEN", "SEEN\uFE0F"}) {
        requireProblems(_supplier->postProduct({{"sku", sku}, {"variants", {{{"name", "v"}, {"sku", sku}}}}}),
                        {"sku:unsupported", "variants[0].sku:unsupported"});
        requireProblems(
            _supplier->post("/products/" + std::to_string(product["id"].get<std::int64_t>()), {{"sku", sku}}),
            {"sku:unsupported"});
    }
    CPPUNIT_ASSERT_EQUAL(json("SEEN"), _supplier->read(product["id"])["sku"]);
}

TEST(SkuTest, listFindsExactlyTheSku) {
    const std::int64_t plain = _supplier->create({{"sku", "ROSE-E"}})["id"];
    const std::int64_t accented = _supplier->create({{"sku", "ROSE-\u00C9"}})["id"];
    CPPUNIT_ASSERT(_supplier->ids("sku=rose-e") == std::vector<std::int64_t>{plain});
    CPPUNIT_ASSERT(_supplier->ids("sku=" + escaped("rose-e\u0301")) == std::vector<std::int64_t>{accented});
    CPPUNIT_ASSERT(_supplier->ids("sku=" + escaped("ROSE-E\u200B")).empty());
}

TEST(SkuTest, tombstonesAreFoundBySku) {
    const std::int64_t first = _supplier->create({{"sku", "Übrig"}})["id"];
    _supplier->remove(first);
    const std::int64_t second = _supplier->create({{"sku", "übrig"}})["id"];
    _supplier->remove(second);
    const std::int64_t third = _supplier->create({{"sku", "ÜBRIG"}})["id"];
    const std::int64_t other = _supplier->create({{"sku", "UBRIG"}})["id"];
    _supplier->remove(other);
    const std::string query = "sku=" + escaped("u\u0308brig");
    CPPUNIT_ASSERT(_supplier->ids(query) == std::vector<std::int64_t>{third});
    CPPUNIT_ASSERT(
        (_supplier->ids(query + "&include_deleted=true") == std::vector<std::int64_t>{third, second, first}));
    CPPUNIT_ASSERT_EQUAL(json(3), _supplier->list(query + "&include_deleted=true")["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, _supplier->ids(query + "&include_deleted=true&changed_after=0").size());
}

TEST(SkuTest, longestKeyIsStored) {
    for (const char* character : {"\uFB03", "\U0001D160", "\u1F82"}) {
        std::string sku;
        for (int i = 0; i < 64; ++i)
            sku += character;
        const std::int64_t id = _supplier->create({{"sku", sku}})["id"];
        CPPUNIT_ASSERT_MESSAGE(character, _supplier->ids("sku=" + escaped(sku)) == std::vector<std::int64_t>{id});
        requireProblems(_supplier->postProduct({{"sku", sku}}), {"sku:duplicate"});
    }
}

/// As a release before the keys left them behind.
TEST(SkuTest, skusThatWaitForTheirKeysGetThemWhenAServerStarts) {
    TestDatabase& database = fixture().database();
    const json product = _supplier->create({{"sku", "Rosé"}, {"variants", {{{"name", "v"}, {"sku", "Rosé-V"}}}}});
    const std::int64_t deleted = _supplier->create({{"sku", "Gelé"}})["id"];
    _supplier->remove(deleted);
    const std::int64_t first = _supplier->create({{"sku", "\u1C90"}})["id"]; // Georgian: a capital, and a small letter
    const std::int64_t second = _supplier->create({{"sku", "other"}})["id"];
    const std::string all = "(SELECT id FROM products WHERE supplier_id = " + std::to_string(_supplier->id()) + ")";
    database.exec("UPDATE products SET sku = '\u10D0' WHERE id = " + std::to_string(second));
    database.exec("INSERT INTO skus_without_key SELECT product_id, variant_id FROM product_skus WHERE product_id IN " +
                  all);
    database.exec("DELETE FROM product_skus WHERE product_id IN " + all);

    const ServerProcess another(database);

    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, database.integer("SELECT COUNT(*) FROM skus_without_key"));
    const std::int64_t id = product["id"];
    CPPUNIT_ASSERT(_supplier->ids("sku=" + escaped("rosé")) == std::vector<std::int64_t>{id});
    CPPUNIT_ASSERT(_supplier->ids("include_deleted=true&sku=" + escaped("gelé")) == std::vector<std::int64_t>{deleted});
    CPPUNIT_ASSERT(_supplier->ids("sku=" + escaped("\u10D0")) == std::vector<std::int64_t>{first});
    requireProblems(_supplier->postProduct({{"sku", "ROSÉ-v"}}), {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(json("\u10D0"), _supplier->read(second)["sku"]);
}

TEST(SkuTest, differentEmojiAreDifferentSkus) {
    _supplier->create({{"sku", "💐"}});
    _supplier->create({{"sku", "🌹"}});
    requireProblems(_supplier->postProduct({{"sku", "🌹"}}), {"sku:duplicate"});
}

TEST(SkuTest, ownSkuIsNoDuplicate) {
    const json product = _supplier->create({{"sku", "own"}, {"variants", {{{"name", "v"}, {"sku", "own-v"}}}}});
    const json variant = product["variants"][0]["id"];
    _supplier->update(product["id"], {{"sku", "own"}, {"variants", {{{"id", variant}, {"sku", "own-v"}}}}});
    const json after =
        _supplier->update(product["id"], {{"sku", "OWN"}, {"variants", {{{"id", variant}, {"sku", "OWN-V"}}}}});
    CPPUNIT_ASSERT_EQUAL(json("OWN"), after["sku"]);
    CPPUNIT_ASSERT_EQUAL(json("OWN-V"), after["variants"][0]["sku"]);
}

TEST(SkuTest, variantsShareTheUniquenessOfProducts) {
    const json product = _supplier->create({{"sku", "P"}, {"variants", {{{"name", "v"}, {"sku", "V"}}}}});
    requireProblems(_supplier->postProduct({{"sku", "v"}}), {"sku:duplicate"});
    const HttpResponse response = _supplier->postProduct({{"variants", {{{"name", "w"}, {"sku", "p"}}}}});
    requireProblems(response, {"variants[0].sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(product["id"], response.error()["existing_product_id"]);
    requireProblems(_supplier->post("/products/" + std::to_string(product["id"].get<std::int64_t>()), {{"sku", "V"}}),
                    {"sku:duplicate"});
}

TEST(SkuTest, allDuplicatesOfARequestAreNamed) {
    _supplier->create({{"sku", "A"}, {"variants", {{{"name", "v"}, {"sku", "B"}}}}});
    requireProblems(
        _supplier->postProduct(
            {{"sku", "a"},
             {"variants",
              {{{"name", "1"}, {"sku", "new"}}, {{"name", "2"}, {"sku", "b"}}, {{"name", "3"}, {"sku", "NEW"}}}}}),
        {"sku:duplicate", "variants[1].sku:duplicate", "variants[2].sku:duplicate"});
}

TEST(SkuTest, anotherSupplierMayUseTheSameSku) {
    SupplierClient other;
    other.create({{"sku", "SHARED"}});
    _supplier->create({{"sku", "SHARED"}});
}

TEST(SkuTest, givenUpSkuIsFree) {
    const json product = _supplier->create({{"sku", "old"}, {"variants", {{{"name", "v"}, {"sku", "old-v"}}}}});
    const json variant = product["variants"][0]["id"];
    _supplier->update(product["id"], {{"sku", "new"}, {"variants", {{{"id", variant}, {"sku", nullptr}}}}});
    _supplier->create({{"sku", "old"}});
    _supplier->create({{"sku", "old-v"}});
    requireProblems(_supplier->postProduct({{"sku", "new"}}), {"sku:duplicate"});
}

TEST(SkuTest, oneOfTwoRacingCreatesWins) {
    for (int round = 0; round < 30; ++round) {
        const json body = _supplier->productBody({{"sku", "RACE-" + std::to_string(round)}});
        std::atomic<int> created{0};
        std::atomic<int> refused{0};
        const auto race = [&] {
            HttpClient client = _supplier->anotherClient();
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
    _supplier->requireTrueTotals();
}

} // namespace supplierd::tests
