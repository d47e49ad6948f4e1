#include "ImagesFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// `image_url` in an update adds images; what else it changes does not depend on them.
class ProductImagesUpdateTest : public ImagesFixture {};

TEST(ProductImagesUpdateTest, imagesAreInTheAuditLog) {
    const json product = create().data()["product"];
    const json images = post(pathOf(product), {{"image_url", GOOD_URL}}).data()["product"]["images"];
    const std::string entry = "FROM audit_log WHERE action = 'product.update' AND object_id = " + product["id"].dump();
    TestDatabase& database = fixture().database();
    CPPUNIT_ASSERT_EQUAL(json({{"images", json::array()}, {"primary_image", nullptr}}),
                         json::parse(database.text("SELECT before_json " + entry)));
    CPPUNIT_ASSERT_EQUAL(json({{"images", {images[0]["id"]}}, {"primary_image", images[0]["id"]}}),
                         json::parse(database.text("SELECT after_json " + entry)));
}

TEST(ProductImagesUpdateTest, updateAddsImages) {
    const json product = create({{"image_url", GOOD_URL}}).data()["product"];
    const HttpResponse response =
        post(pathOf(product), {{"color", "red"}, {"image_url", std::string(BAD_URL) + ";" + OTHER_URL}});
    requireStatus(200, response);
    const json data = response.data();
    CPPUNIT_ASSERT_EQUAL(json("red"), data["product"]["color"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, data["product"]["images"].size());
    CPPUNIT_ASSERT_EQUAL(product["images"][0], data["product"]["images"][0]);
    CPPUNIT_ASSERT_EQUAL(json("/media/bunch.png"), data["product"]["images"][1]["url"]);
    CPPUNIT_ASSERT_EQUAL(json("/media/rosa.jpg"), data["product"]["primary_image"]);
    CPPUNIT_ASSERT_EQUAL(json::array({badUrlError(0)}), data["image_errors"]);
    CPPUNIT_ASSERT_EQUAL(std::string("\"2\""), response.header("ETag"));
    const json onlyImages = post(pathOf(product), {{"image_url", OTHER_URL}}).data()["product"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, onlyImages["images"].size());
    CPPUNIT_ASSERT_EQUAL(json(3), onlyImages["version"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->list("changed_after=2")["products"].size());
}

TEST(ProductImagesUpdateTest, updateWithoutUrlsSaysNothingOfImages) {
    const json product = create({{"image_url", GOOD_URL}}).data()["product"];
    json data = post(pathOf(product), {{"color", "red"}}).data();
    CPPUNIT_ASSERT(!data.contains("image_errors"));
    CPPUNIT_ASSERT_EQUAL(product["images"], data["product"]["images"]);
    for (const json& none : {json(nullptr), json(""), json(";;")}) {
        json body = json::object();
        body["image_url"] = none;
        data = _supplier->post(pathOf(product), body).data();
        CPPUNIT_ASSERT_EQUAL(product["images"], data["product"]["images"]);
        CPPUNIT_ASSERT_EQUAL(json(2), data["product"]["version"]);
    }
    CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
}

TEST(ProductImagesUpdateTest, updateThatBringsNoImageChangesOnlyTheRest) {
    const json product = create().data()["product"];
    HttpResponse response = post(pathOf(product), {{"image_url", BAD_URL}});
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, response.data()["image_errors"].size());
    CPPUNIT_ASSERT_EQUAL(product, response.data()["product"]);
    response = post(pathOf(product), {{"stock_qty", 7}, {"image_url", "https://unavailable.example/1.jpg"}});
    CPPUNIT_ASSERT_EQUAL(json("timeout"), response.data()["image_errors"][0]["code"]);
    CPPUNIT_ASSERT_EQUAL(json(7), response.data()["product"]["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(2), response.data()["product"]["version"]);
}

TEST(ProductImagesUpdateTest, updateBeyondTenImagesIsRefused) {
    const json product = create({{"image_url", goodUrls(8)}}).data()["product"];
    requireProblems(post(pathOf(product), {{"color", "red"}, {"image_url", goodUrls(3)}}), {"image_url:too_many"});
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
    CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{10},
                         post(pathOf(product), {{"image_url", goodUrls(2)}}).data()["product"]["images"].size());
}

TEST(ProductImagesUpdateTest, nothingIsFetchedForARefusedUpdate) {
    const json product = create({{"sku", "MINE"}}).data()["product"];
    create({{"sku", "OTHER"}});
    const json images{{"image_url", GOOD_URL}};
    requireStatus(404, post("/products/999999999", images));
    requireStatus(412, _supplier->post(pathOf(product), images, {{"If-Match", "\"9\""}}));
    SupplierClient other;
    requireStatus(404, other.post(pathOf(product), images));
    requireProblems(post(pathOf(product), {{"sku", "OTHER"}, {"image_url", GOOD_URL}}), {"sku:duplicate"});
    requireProblems(post(pathOf(product), {{"unit", "bucket"}, {"image_url", GOOD_URL}}), {"unit:not_in_set"});
    CPPUNIT_ASSERT_EQUAL(0, since("fetches"));
    requireStatus(200, post(pathOf(product), {{"sku", "MINE"}, {"image_url", GOOD_URL}}));
    CPPUNIT_ASSERT_EQUAL(1, since("fetches"));
}

TEST(ProductImagesUpdateTest, productDeletedDuringTheFetchIsNotFound) {
    const json product = create().data()["product"];
    HeldRequest held(*_supplier, pathOf(product), {{"image_url", WAITING_URL}});
    _supplier->remove(product["id"]);
    requireStatus(404, held.finish());
    CPPUNIT_ASSERT_EQUAL(1, since("discarded"));
    _supplier->requireTrueTotals();
}

TEST(ProductImagesUpdateTest, productChangedDuringTheFetchKeepsBothChanges) {
    const json product = create().data()["product"];
    HeldRequest held(*_supplier, pathOf(product), {{"image_url", WAITING_URL}});
    _supplier->update(product["id"], {{"color", "red"}});
    const HttpResponse later = held.finish();
    requireStatus(200, later);
    CPPUNIT_ASSERT_EQUAL(json("red"), later.data()["product"]["color"]);
    CPPUNIT_ASSERT_EQUAL(json("/media/wait.jpg"), later.data()["product"]["primary_image"]);
    CPPUNIT_ASSERT_EQUAL(json(3), later.data()["product"]["version"]);
}

TEST(ProductImagesUpdateTest, ifMatchHoldsUntilTheImagesAreThere) {
    const json product = create().data()["product"];
    HeldRequest held(*_supplier, pathOf(product), {{"image_url", WAITING_URL}}, {{"If-Match", "\"1\""}});
    const json changed = _supplier->update(product["id"], {{"color", "red"}});
    requireStatus(412, held.finish());
    CPPUNIT_ASSERT_EQUAL(changed, _supplier->read(product["id"]));
    CPPUNIT_ASSERT_EQUAL(1, since("discarded"));
}

} // namespace supplierd::tests
