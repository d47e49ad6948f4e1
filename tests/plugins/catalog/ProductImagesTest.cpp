#include "ImagesFixture.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// Images of products as the catalog handles them, whoever fetches and keeps them.
class ProductImagesTest : public ImagesFixture {
    CPPUNIT_TEST_SUITE(ProductImagesTest);
    CPPUNIT_TEST(testCreatedProductHasItsImages);
    CPPUNIT_TEST(testEveryListShowsThePrimaryImage);
    CPPUNIT_TEST(testPlatformSeesImagesToo);
    CPPUNIT_TEST(testProductIsKeptWhenNoImageCanBeHad);
    CPPUNIT_TEST(testProductIsKeptWhenTheServerCannotTakeImages);
    CPPUNIT_TEST(testMoreThanTenUrlsAreRefused);
    CPPUNIT_TEST(testRepeatedUrlsCountOnce);
    CPPUNIT_TEST(testNothingIsFetchedForARefusedProduct);
    CPPUNIT_TEST(testNoUrlMeansNoImages);
    CPPUNIT_TEST(testSkuTakenDuringTheFetchIsADuplicate);
    CPPUNIT_TEST(testRepeatWithAnIdempotencyKeyFetchesNothing);
    CPPUNIT_TEST(testRepeatDuringTheFetchIsAConflict);
    CPPUNIT_TEST(testDeleteTakesTheImagesAlong);
    CPPUNIT_TEST_SUITE_END();

public:
    void testCreatedProductHasItsImages() {
        const std::string sent = std::string(GOOD_URL) + ";" + BAD_URL + ";" + OTHER_URL;
        const HttpResponse response = create({{"image_url", sent}});
        const json data = response.data();
        const json product = data["product"];
        CPPUNIT_ASSERT_EQUAL(json::array({badUrlError(1)}), data["image_errors"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, product["images"].size());
        CPPUNIT_ASSERT_EQUAL(json({{"id", product["images"][0]["id"]},
                                   {"url", "/media/rosa.jpg"},
                                   {"thumbnail_url", "/media/rosa.jpg.small"},
                                   {"is_primary", true}}),
                             product["images"][0]);
        CPPUNIT_ASSERT_EQUAL(json(false), product["images"][1]["is_primary"]);
        CPPUNIT_ASSERT_EQUAL(json("/media/rosa.jpg"), product["primary_image"]);
        CPPUNIT_ASSERT_EQUAL(json(1), product["version"]);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), response.header("ETag"));
        CPPUNIT_ASSERT_EQUAL(product, _shop->read(product["id"]));
        CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
        CPPUNIT_ASSERT_EQUAL(0, since("discarded"));
    }

    void testEveryListShowsThePrimaryImage() {
        create({{"sku", "WITH"}, {"image_url", GOOD_URL}});
        create({{"sku", "WITHOUT"}});
        for (const char* query : {"", "sort=id", "status=pending", "sort=name", "sort=-base_price",
                                  "page=1&search=rosa", "sku=WITH,WITHOUT", "type=flower", "include_deleted=true",
                                  "changed_after=0", "updated_since=2020-01-01T00:00:00Z"})
            requirePrimaryImages(query, _shop->list(query));
        json page = _shop->list("per_page=1");
        json walked = page["products"];
        page = _shop->list("per_page=1&cursor=" + page["pagination"]["next_cursor"].get<std::string>());
        walked.push_back(page["products"][0]);
        requirePrimaryImages("cursor", {{"products", walked}});
    }

    void testPlatformSeesImagesToo() {
        const json product = create({{"image_url", GOOD_URL}}).data()["product"];
        HttpClient platform(rootUrl() + "/api/v1/platform", CatalogWorld::instance().server().createOperatorKey());
        const json list = platform.get("/products?supplier_id=" + std::to_string(_shop->id())).data();
        CPPUNIT_ASSERT_EQUAL(json("/media/rosa.jpg"), list["products"][0]["primary_image"]);
        CPPUNIT_ASSERT_EQUAL(json({{"status", "pending"}, {"reason", nullptr}}), list["products"][0]["approval"]);
        const json approved = platform.postEmpty(pathOf(product) + "/approve").data()["product"];
        CPPUNIT_ASSERT_EQUAL(product["images"], approved["images"]);
        CPPUNIT_ASSERT_EQUAL(json("/media/rosa.jpg"), approved["primary_image"]);
    }

    void testProductIsKeptWhenNoImageCanBeHad() {
        const json data = create({{"image_url", BAD_URL}}).data();
        CPPUNIT_ASSERT_EQUAL(json::array({badUrlError(0)}), data["image_errors"]);
        CPPUNIT_ASSERT_EQUAL(json::array(), data["product"]["images"]);
        CPPUNIT_ASSERT(data["product"]["primary_image"].is_null());
        CPPUNIT_ASSERT_EQUAL(data["product"], _shop->read(data["product"]["id"]));
    }

    void testProductIsKeptWhenTheServerCannotTakeImages() {
        const std::string other = "https://unavailable.example/2.jpg";
        const json data = create({{"image_url", std::string(GOOD_URL) + ";" + other}}).data();
        const std::string text = "the server cannot take images now; add this one again later";
        CPPUNIT_ASSERT_EQUAL(
            json::array({imageError(0, GOOD_URL, "timeout", text), imageError(1, other, "timeout", text)}),
            data["image_errors"]);
        CPPUNIT_ASSERT_EQUAL(data["product"], _shop->read(data["product"]["id"]));
    }

    void testMoreThanTenUrlsAreRefused() {
        Shop::requireProblems(post("/products", Shop::body({{"image_url", goodUrls(11)}, {"base_price", -1}})),
                              {"image_url:too_many", "base_price:out_of_range"});
        CPPUNIT_ASSERT(_shop->ids().empty());
        CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
        const json product = create({{"image_url", goodUrls(10)}}).data()["product"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, product["images"].size());
    }

    void testRepeatedUrlsCountOnce() {
        std::string repeated;
        for (int i = 0; i < 11; ++i)
            repeated += std::string(GOOD_URL) + ";";
        const json product = create({{"image_url", repeated + OTHER_URL}}).data()["product"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, product["images"].size());
        const std::string other = "https://unavailable.example/2.jpg";
        const json errors = create({{"image_url", other + ";" + other + ";" + GOOD_URL}}).data()["image_errors"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, errors.size());
        CPPUNIT_ASSERT_EQUAL(json(0), errors[0]["index"]);
        CPPUNIT_ASSERT_EQUAL(json(2), errors[1]["index"]);
    }

    void testNothingIsFetchedForARefusedProduct() {
        const auto taken = create({{"sku", "TAKEN"}}).data()["product"]["id"];
        const HttpResponse duplicate = post("/products", Shop::body({{"sku", "taken"}, {"image_url", GOOD_URL}}));
        Shop::requireProblems(duplicate, {"sku:duplicate"});
        CPPUNIT_ASSERT_EQUAL(taken, duplicate.error()["existing_product_id"]);
        Shop::requireProblems(post("/products", Shop::body({{"category_id", 999'999}, {"image_url", GOOD_URL}})),
                              {"category_id:unknown_reference"});
        Shop::requireProblems(post("/products", Shop::body({{"name", nullptr}, {"image_url", GOOD_URL}})),
                              {"name:required"});
        Shop::requireProblems(
            post("/products", Shop::body({{"variants", {{{"name", "a"}, {"sku", "TAKEN"}}}}, {"image_url", GOOD_URL}})),
            {"variants[0].sku:duplicate"});
        for (const json& wrong : {json(5), json(true), json::array({GOOD_URL}), json{{"url", GOOD_URL}}}) {
            json body = Shop::body();
            body["image_url"] = wrong;
            Shop::requireProblems(post("/products", body), {"image_url:type"});
        }
        Shop::requireProblems(post("/products", Shop::body({{"image_url", std::string(32'769, 'x')}})),
                              {"image_url:too_long"});
        CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _shop->ids().size());
    }

    void testNoUrlMeansNoImages() {
        for (const json& none : {json(nullptr), json(""), json("  "), json(";;")}) {
            json body = Shop::body();
            body["image_url"] = none;
            const json data = _shop->http().post("/products", body).data();
            CPPUNIT_ASSERT_EQUAL(json::array(), data["product"]["images"]);
            CPPUNIT_ASSERT_EQUAL(json::array(), data["image_errors"]);
        }
        CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
    }

    void testSkuTakenDuringTheFetchIsADuplicate() {
        HeldRequest held(*_shop, "/products", Shop::body({{"sku", "RACE"}, {"image_url", WAITING_URL}}));
        const json winner = create({{"sku", "RACE"}}).data()["product"]; // no session is held meanwhile
        const HttpResponse loser = held.finish();
        Shop::requireProblems(loser, {"sku:duplicate"});
        CPPUNIT_ASSERT_EQUAL(winner["id"], loser.error()["existing_product_id"]);
        CPPUNIT_ASSERT_EQUAL(1, since("discarded"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _shop->ids().size());
        _shop->requireTrueTotals();
    }

    void testRepeatWithAnIdempotencyKeyFetchesNothing() {
        const json body = Shop::body({{"image_url", std::string(GOOD_URL) + ";" + BAD_URL}});
        const HttpHeaders key{{"Idempotency-Key", "images-" + std::to_string(_shop->id())}};
        const HttpResponse first = _shop->http().post("/products", body, key);
        const HttpResponse again = _shop->http().post("/products", body, key);
        CPPUNIT_ASSERT_EQUAL(201, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, again.data()["image_errors"].size());
        CPPUNIT_ASSERT_EQUAL(first.header("Location"), again.header("Location"));
        CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _shop->ids().size());
    }

    void testRepeatDuringTheFetchIsAConflict() {
        const json body = Shop::body({{"image_url", WAITING_URL}});
        const HttpHeaders key{{"Idempotency-Key", "held-" + std::to_string(_shop->id())}};
        HeldRequest held(*_shop, "/products", body, key);
        CPPUNIT_ASSERT_EQUAL(409, _shop->http().post("/products", body, key).status);
        const HttpResponse first = held.finish();
        CPPUNIT_ASSERT_EQUAL(201, first.status);
        CPPUNIT_ASSERT_EQUAL(first.data(), _shop->http().post("/products", body, key).data());
        CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
    }

    void testDeleteTakesTheImagesAlong() {
        const json product = create({{"image_url", std::string(GOOD_URL) + ";" + OTHER_URL}}).data()["product"];
        const std::string id = std::to_string(product["id"].get<std::int64_t>());
        CPPUNIT_ASSERT_EQUAL(412, _shop->http().postEmpty(pathOf(product) + "/delete", {{"If-Match", "\"9\""}}).status);
        CPPUNIT_ASSERT_EQUAL(product["images"], _shop->read(product["id"])["images"]);
        _shop->remove(product["id"]);
        TestDatabase& database = CatalogWorld::instance().database();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                             database.integer("SELECT COUNT(*) FROM test_images WHERE product_id = " + id));
        CPPUNIT_ASSERT_EQUAL(
            std::int64_t{1},
            database.integer("SELECT COUNT(*) FROM products WHERE primary_image IS NULL AND deleted = 1 AND id = " +
                             id));
        CPPUNIT_ASSERT_EQUAL(json({"/media/rosa.jpg", "/media/bunch.png"}), removedFiles());
        const json tombstone = _shop->list("include_deleted=true")["products"][0];
        CPPUNIT_ASSERT(tombstone["primary_image"].is_null());
    }

private:
    static void requirePrimaryImages(const std::string& query, const json& data) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::size_t{2}, data["products"].size());
        for (const json& product : data["products"])
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, product["sku"] == "WITH" ? json("/media/rosa.jpg") : json(nullptr),
                                         product["primary_image"]);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ProductImagesTest);

} // namespace supplierd::tests
