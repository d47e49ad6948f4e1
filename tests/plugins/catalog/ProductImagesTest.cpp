#include "ImagesFixture.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// Images of products as the catalog handles them, whoever fetches and keeps them.
class ProductImagesTest : public ImagesFixture {
protected:
    static void requirePrimaryImages(const std::string& query, const json& data) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::size_t{2}, data["products"].size());
        for (const json& product : data["products"])
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, product["sku"] == "WITH" ? json("/media/rosa.jpg") : json(nullptr),
                                         product["primary_image"]);
    }
};

TEST(ProductImagesTest, createdProductHasItsImages) {
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
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
    CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
    CPPUNIT_ASSERT_EQUAL(0, since("discarded"));
}

TEST(ProductImagesTest, everyListShowsThePrimaryImage) {
    create({{"sku", "WITH"}, {"image_url", GOOD_URL}});
    create({{"sku", "WITHOUT"}});
    for (const char* query :
         {"", "sort=id", "status=pending", "sort=name", "sort=-base_price", "page=1&search=rosa", "sku=WITH,WITHOUT",
          "type=flower", "include_deleted=true", "changed_after=0", "updated_since=2020-01-01T00:00:00Z"})
        requirePrimaryImages(query, _supplier->list(query));
    json page = _supplier->list("per_page=1");
    json walked = page["products"];
    page = _supplier->list("per_page=1&cursor=" + page["pagination"]["next_cursor"].get<std::string>());
    walked.push_back(page["products"][0]);
    requirePrimaryImages("cursor", {{"products", walked}});
}

TEST(ProductImagesTest, platformSeesImagesToo) {
    const json product = create({{"image_url", GOOD_URL}}).data()["product"];
    OperatorClient platform;
    const json list = platform.get("/products?supplier_id=" + std::to_string(_supplier->id())).data();
    CPPUNIT_ASSERT_EQUAL(json("/media/rosa.jpg"), list["products"][0]["primary_image"]);
    CPPUNIT_ASSERT_EQUAL(json("pending"), list["products"][0]["approval"]["status"]);
    const json approved = platform.postEmpty(pathOf(product) + "/approve").data()["product"];
    CPPUNIT_ASSERT_EQUAL(product["images"], approved["images"]);
    CPPUNIT_ASSERT_EQUAL(json("/media/rosa.jpg"), approved["primary_image"]);
}

TEST(ProductImagesTest, productIsKeptWhenNoImageCanBeHad) {
    const json data = create({{"image_url", BAD_URL}}).data();
    CPPUNIT_ASSERT_EQUAL(json::array({badUrlError(0)}), data["image_errors"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), data["product"]["images"]);
    CPPUNIT_ASSERT(data["product"]["primary_image"].is_null());
    CPPUNIT_ASSERT_EQUAL(data["product"], _supplier->read(data["product"]["id"]));
}

TEST(ProductImagesTest, productIsKeptWhenTheServerCannotTakeImages) {
    const std::string other = "https://unavailable.example/2.jpg";
    const json data = create({{"image_url", std::string(GOOD_URL) + ";" + other}}).data();
    const std::string text = "the server cannot take images now; add this one again later";
    CPPUNIT_ASSERT_EQUAL(json::array({imageError(0, GOOD_URL, "timeout", text), imageError(1, other, "timeout", text)}),
                         data["image_errors"]);
    CPPUNIT_ASSERT_EQUAL(data["product"], _supplier->read(data["product"]["id"]));
}

TEST(ProductImagesTest, moreThanTenUrlsAreRefused) {
    requireProblems(_supplier->postProduct({{"image_url", goodUrls(11)}, {"base_price", -1}}),
                    {"image_url:too_many", "base_price:out_of_range"});
    CPPUNIT_ASSERT(_supplier->ids().empty());
    CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
    const json product = create({{"image_url", goodUrls(10)}}).data()["product"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, product["images"].size());
}

TEST(ProductImagesTest, repeatedUrlsCountOnce) {
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

TEST(ProductImagesTest, nothingIsFetchedForARefusedProduct) {
    const auto taken = create({{"sku", "TAKEN"}}).data()["product"]["id"];
    const HttpResponse duplicate = _supplier->postProduct({{"sku", "taken"}, {"image_url", GOOD_URL}});
    requireProblems(duplicate, {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(taken, duplicate.error()["existing_product_id"]);
    requireProblems(_supplier->postProduct({{"category_id", 999'999}, {"image_url", GOOD_URL}}),
                    {"category_id:unknown_reference"});
    requireProblems(_supplier->postProduct({{"name", nullptr}, {"image_url", GOOD_URL}}), {"name:required"});
    requireProblems(
        _supplier->postProduct({{"variants", {{{"name", "a"}, {"sku", "TAKEN"}}}}, {"image_url", GOOD_URL}}),
        {"variants[0].sku:duplicate"});
    for (const json& wrong : {json(5), json(true), json::array({GOOD_URL}), json{{"url", GOOD_URL}}}) {
        json body = _supplier->productBody();
        body["image_url"] = wrong;
        requireProblems(post("/products", body), {"image_url:type"});
    }
    requireProblems(_supplier->postProduct({{"image_url", std::string(32'769, 'x')}}), {"image_url:too_long"});
    CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->ids().size());
}

TEST(ProductImagesTest, noUrlMeansNoImages) {
    for (const json& none : {json(nullptr), json(""), json("  "), json(";;")}) {
        json body = _supplier->productBody();
        body["image_url"] = none;
        const json data = _supplier->post("/products", body).data();
        CPPUNIT_ASSERT_EQUAL(json::array(), data["product"]["images"]);
        CPPUNIT_ASSERT_EQUAL(json::array(), data["image_errors"]);
    }
    CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
}

TEST(ProductImagesTest, skuTakenDuringTheFetchIsADuplicate) {
    HeldRequest held(*_supplier, "/products", _supplier->productBody({{"sku", "RACE"}, {"image_url", WAITING_URL}}));
    const json winner = create({{"sku", "RACE"}}).data()["product"]; // no session is held meanwhile
    const HttpResponse loser = held.finish();
    requireProblems(loser, {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(winner["id"], loser.error()["existing_product_id"]);
    CPPUNIT_ASSERT_EQUAL(1, since("discarded"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->ids().size());
    _supplier->requireTrueTotals();
}

TEST(ProductImagesTest, repeatWithAnIdempotencyKeyFetchesNothing) {
    const json body = _supplier->productBody({{"image_url", std::string(GOOD_URL) + ";" + BAD_URL}});
    const HttpHeaders key{{"Idempotency-Key", "images-" + std::to_string(_supplier->id())}};
    const HttpResponse first = _supplier->post("/products", body, key);
    const HttpResponse again = _supplier->post("/products", body, key);
    requireStatus(201, again);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, again.data()["image_errors"].size());
    CPPUNIT_ASSERT_EQUAL(first.header("Location"), again.header("Location"));
    CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->ids().size());
}

TEST(ProductImagesTest, repeatDuringTheFetchIsAConflict) {
    const json body = _supplier->productBody({{"image_url", WAITING_URL}});
    const HttpHeaders key{{"Idempotency-Key", "held-" + std::to_string(_supplier->id())}};
    HeldRequest held(*_supplier, "/products", body, key);
    requireStatus(409, _supplier->post("/products", body, key));
    const HttpResponse first = held.finish();
    requireStatus(201, first);
    CPPUNIT_ASSERT_EQUAL(first.data(), _supplier->post("/products", body, key).data());
    CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
}

TEST(ProductImagesTest, deleteTakesTheImagesAlong) {
    const json product = create({{"image_url", std::string(GOOD_URL) + ";" + OTHER_URL}}).data()["product"];
    const std::string id = std::to_string(product["id"].get<std::int64_t>());
    requireStatus(412, _supplier->postEmpty(pathOf(product) + "/delete", {{"If-Match", "\"9\""}}));
    CPPUNIT_ASSERT_EQUAL(product["images"], _supplier->read(product["id"])["images"]);
    _supplier->remove(product["id"]);
    TestDatabase& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         database.integer("SELECT COUNT(*) FROM test_images WHERE product_id = " + id));
    CPPUNIT_ASSERT_EQUAL(
        std::int64_t{1},
        database.integer("SELECT COUNT(*) FROM products WHERE primary_image IS NULL AND deleted = 1 AND id = " + id));
    CPPUNIT_ASSERT_EQUAL(json({"/media/rosa.jpg", "/media/bunch.png"}), removedFiles());
    const json tombstone = _supplier->list("include_deleted=true")["products"][0];
    CPPUNIT_ASSERT(tombstone["primary_image"].is_null());
}

} // namespace supplierd::tests
