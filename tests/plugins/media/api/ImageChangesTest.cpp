#include "MediaFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

/// Deleting images and choosing the primary one, as a supplier sees it.
class ImageChangesTest : public CppUnit::TestFixture {
public:
    void tearDown() override { _fixture.requireAgreement(); }

protected:
    std::string picture() { return _fixture.origin().serve(smallPicture(_number++)); }
    json onlyImage(std::int64_t product) { return _supplier.add(product, {picture()})["images"][0]; }
    /// products.primary_image, "" for none.
    std::string namedPrimary(std::int64_t product) {
        return _fixture.database().text("SELECT COALESCE(primary_image, '') FROM products WHERE id = " +
                                        std::to_string(product));
    }
    /// What was before and after each change of the product, oldest first.
    json audited(std::int64_t product) {
        json changes = json::array();
        for (const TestRow& row : _fixture.database().query(
                 "SELECT before_json, after_json FROM audit_log WHERE action = 'product.update' AND "
                 "object = 'product' AND actor LIKE 'sk\\_%' AND object_id = " +
                 std::to_string(product) + " ORDER BY id"))
            changes.push_back({json::parse(*row[0]), json::parse(*row[1])});
        return changes;
    }
    std::int64_t changeSeq(std::int64_t product) {
        return _fixture.database().integer("SELECT change_seq FROM products WHERE id = " + std::to_string(product));
    }

    MediaFixture& _fixture = mediaFixture();
    MediaClient _supplier{_fixture};
    unsigned _number = 0;
};

TEST(ImageChangesTest, aDeletedImageIsGoneWithItsFiles) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {picture(), picture()})["images"];
    const HttpResponse response = _supplier.removeImage(product, images[1]["id"]);
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL((json{{"images", {images[0]}}}), response.data());
    HttpClient files = _fixture.server().rootClient();
    for (const char* const url : {"url", "thumbnail_url"}) {
        requireStatus(404, files.get(images[1][url]));
        requireStatus(200, files.get(images[0][url]));
    }
    requireStatus(404, _supplier.removeImage(product, images[1]["id"]));
}

TEST(ImageChangesTest, theNextImageBecomesPrimary) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {picture(), picture(), picture()})["images"];
    _supplier.makePrimary(product, images[1]["id"]);
    json left = _supplier.removeImage(product, images[1]["id"]).data()["images"];
    CPPUNIT_ASSERT_EQUAL(json(true), left[0]["is_primary"]);
    CPPUNIT_ASSERT_EQUAL(images[0]["id"], left[0]["id"]);
    left = _supplier.removeImage(product, images[0]["id"]).data()["images"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, left.size());
    CPPUNIT_ASSERT_EQUAL(images[2]["id"], left[0]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(true), left[0]["is_primary"]);
    CPPUNIT_ASSERT_EQUAL(images[2]["url"].get<std::string>(), namedPrimary(product));
}

TEST(ImageChangesTest, theLastImageCanBeDeleted) {
    const auto product = _supplier.createProduct();
    const json image = onlyImage(product);
    CPPUNIT_ASSERT_EQUAL((json{{"images", json::array()}}), _supplier.removeImage(product, image["id"]).data());
    CPPUNIT_ASSERT_EQUAL(std::string(), namedPrimary(product));
    CPPUNIT_ASSERT_EQUAL(json(true), onlyImage(product)["is_primary"]);
}

TEST(ImageChangesTest, anotherImageCanBePrimary) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {picture(), picture()})["images"];
    const HttpResponse response = _supplier.makePrimary(product, images[1]["id"]);
    requireStatus(200, response);
    const json now = response.data()["images"];
    CPPUNIT_ASSERT_EQUAL(images[0]["id"], now[0]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(false), now[0]["is_primary"]);
    CPPUNIT_ASSERT_EQUAL(json(true), now[1]["is_primary"]);
    CPPUNIT_ASSERT_EQUAL(now, _supplier.images(product));
    CPPUNIT_ASSERT_EQUAL(images[1]["url"].get<std::string>(), namedPrimary(product));
}

TEST(ImageChangesTest, thePrimaryImageIsPrimaryAlready) {
    const auto product = _supplier.createProduct();
    const json image = onlyImage(product);
    const json before = _supplier.read(product);
    const HttpResponse response = _supplier.makePrimary(product, image["id"]);
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL((json{{"images", {image}}}), response.data());
    CPPUNIT_ASSERT_EQUAL(before, _supplier.read(product));
}

TEST(ImageChangesTest, imagesComeInTheOrderThatWasSet) {
    const auto product = _supplier.createProduct();
    std::vector<std::string> pictures;
    for (int i = 0; i < 10; ++i)
        pictures.push_back(picture());
    const json images = _supplier.add(product, pictures)["images"];
    json wanted = json::array();
    for (const int place : {9, 0, 8, 1, 7, 2, 6, 3, 5, 4})
        wanted.push_back(images[static_cast<std::size_t>(place)]["id"]);
    const std::int64_t seq = changeSeq(product);
    const HttpResponse response = _supplier.setOrder(product, wanted);
    requireStatus(200, response);
    CPPUNIT_ASSERT_EQUAL(std::to_string(seq + 1), response.header("X-Change-Seq"));
    const json now = response.data()["images"];
    for (std::size_t i = 0; i < 10; ++i) {
        CPPUNIT_ASSERT_EQUAL(wanted[i], now[i]["id"]);
        CPPUNIT_ASSERT_EQUAL(json(i == 1), now[i]["is_primary"]); // as it was
    }
    CPPUNIT_ASSERT_EQUAL(now, _supplier.images(product));
    CPPUNIT_ASSERT_EQUAL(now, _supplier.read(product)["images"]);
    // The same order again is no change.
    CPPUNIT_ASSERT_EQUAL(now, _supplier.setOrder(product, wanted).data()["images"]);
    CPPUNIT_ASSERT_EQUAL(seq + 1, changeSeq(product));
    CPPUNIT_ASSERT_EQUAL(wanted, audited(product).back().back()["images"]);
}

TEST(ImageChangesTest, anOrderNamesEveryImageOnce) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {picture(), picture()})["images"];
    const json first = images[0]["id"];
    const json second = images[1]["id"];
    requireProblems(_supplier.post(imagesPath(product) + "/order", json::object()), {"image_ids:required"});
    requireProblems(_supplier.setOrder(product, "1,2"), {"image_ids:type"});
    requireProblems(_supplier.setOrder(product, json::array({second})), {"image_ids:required"});
    requireProblems(_supplier.setOrder(product, json::array()), {"image_ids:required"});
    requireProblems(_supplier.setOrder(product, {second, first, second}), {"image_ids[2]:duplicate"});
    requireProblems(_supplier.setOrder(product, {"a", 0, first}), {"image_ids[0]:type", "image_ids[1]:type"});
    requireProblems(_supplier.setOrder(product, json(11, first)), {"image_ids:too_many"});
    CPPUNIT_ASSERT_EQUAL(images, _supplier.images(product));
}

TEST(ImageChangesTest, everyChangeMovesTheProduct) {
    const auto product = _supplier.createProduct();
    json version = _supplier.read(product)["version"];
    std::int64_t seq = changeSeq(product);
    const auto requireMoved = [&] {
        const HttpResponse read =
            _supplier.get("/products/" + std::to_string(product), {{"If-None-Match", "\"" + version.dump() + "\""}});
        requireStatus(200, read);
        CPPUNIT_ASSERT_EQUAL(version.get<int>() + 1, read.data()["product"]["version"].get<int>());
        version = read.data()["product"]["version"];
        CPPUNIT_ASSERT_EQUAL(seq + 1, changeSeq(product));
        ++seq;
    };
    const json images = _supplier.add(product, {picture(), picture()})["images"];
    requireMoved();
    _supplier.makePrimary(product, images[1]["id"]);
    requireMoved();
    _supplier.removeImage(product, images[0]["id"]);
    requireMoved();
    requireStatus(404, _supplier.removeImage(product, images[0]["id"]));
    CPPUNIT_ASSERT_EQUAL(seq, changeSeq(product));
}

TEST(ImageChangesTest, everyChangeIsInTheAuditLog) {
    const auto product = _supplier.createProduct();
    const json images = _supplier.add(product, {picture(), picture()})["images"];
    const json first = images[0]["id"];
    const json second = images[1]["id"];
    _supplier.makePrimary(product, second);
    _supplier.makePrimary(product, second);
    _supplier.removeImage(product, second);
    _supplier.removeImage(product, second);
    const auto state = [](const json& ids, const json& primary) {
        return json{{"images", ids}, {"primary_image", primary}};
    };
    const json none = state(json::array(), nullptr);
    const json both = state({first, second}, first);
    const json other = state({first, second}, second);
    const json last = state(json::array({first}), first);
    CPPUNIT_ASSERT_EQUAL(json({{none, both}, {both, other}, {other, last}}), audited(product));
}

TEST(ImageChangesTest, everyChangeIsInTheChangeLog) {
    const auto product = _supplier.createProduct();
    const HttpResponse added = _supplier.postImages(product, {picture(), picture()});
    CPPUNIT_ASSERT_EQUAL(std::string("2"), added.header("X-Change-Seq"));
    const json images = added.data()["images"];
    CPPUNIT_ASSERT_EQUAL(std::string("3"), _supplier.makePrimary(product, images[1]["id"]).header("X-Change-Seq"));
    _supplier.makePrimary(product, images[1]["id"]); // nothing to change
    CPPUNIT_ASSERT_EQUAL(std::string("4"), _supplier.removeImage(product, images[0]["id"]).header("X-Change-Seq"));
    _supplier.removeImage(product, images[0]["id"]);
    const std::string id = std::to_string(product);
    const std::string changed = "product.images_changed " + id;
    CPPUNIT_ASSERT((std::vector<std::string>{"product.created " + id, changed, changed, changed}) ==
                   changesOf(_fixture.database(), _supplier.id()));
}

TEST(ImageChangesTest, theSamePictureOnTwoProductsHasFilesOfItsOwn) {
    const std::string url = picture();
    const auto one = _supplier.createProduct();
    const auto two = _supplier.createProduct();
    const json first = _supplier.add(one, {url})["images"][0];
    const json second = _supplier.add(two, {url})["images"][0];
    CPPUNIT_ASSERT(first["url"] != second["url"]);
    _supplier.removeImage(one, first["id"]);
    HttpClient files = _fixture.server().rootClient();
    requireStatus(404, files.get(first["url"]));
    requireStatus(200, files.get(second["url"]));
    requireStatus(200, files.get(second["thumbnail_url"]));
}

} // namespace supplierd::tests
