#include "MediaWorld.h"
#include "tests/support/ChangesOf.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>

namespace supplierd::tests {

using nlohmann::json;

/// Deleting images and choosing the primary one, as a supplier sees it.
class ImageChangesTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ImageChangesTest);
    CPPUNIT_TEST(testADeletedImageIsGoneWithItsFiles);
    CPPUNIT_TEST(testTheNextImageBecomesPrimary);
    CPPUNIT_TEST(testTheLastImageCanBeDeleted);
    CPPUNIT_TEST(testAnotherImageCanBePrimary);
    CPPUNIT_TEST(testThePrimaryImageIsPrimaryAlready);
    CPPUNIT_TEST(testEveryChangeMovesTheProduct);
    CPPUNIT_TEST(testEveryChangeIsInTheAuditLog);
    CPPUNIT_TEST(testEveryChangeIsInTheChangeLog);
    CPPUNIT_TEST(testTheSamePictureOnTwoProductsHasFilesOfItsOwn);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _seller = std::make_unique<Seller>(_world); }
    void tearDown() override {
        _seller.reset();
        _world.requireAgreement();
    }

    void testADeletedImageIsGoneWithItsFiles() {
        const auto product = _seller->createProduct();
        const json images = _seller->add(product, {picture(), picture()})["images"];
        const HttpResponse response = _seller->remove(product, images[1]["id"]);
        CPPUNIT_ASSERT_EQUAL(200, response.status);
        CPPUNIT_ASSERT_EQUAL((json{{"images", {images[0]}}}), response.data());
        HttpClient files = _world.files();
        for (const char* const url : {"url", "thumbnail_url"}) {
            CPPUNIT_ASSERT_EQUAL(404, files.get(images[1][url]).status);
            CPPUNIT_ASSERT_EQUAL(200, files.get(images[0][url]).status);
        }
        CPPUNIT_ASSERT_EQUAL(404, _seller->remove(product, images[1]["id"]).status);
    }

    void testTheNextImageBecomesPrimary() {
        const auto product = _seller->createProduct();
        const json images = _seller->add(product, {picture(), picture(), picture()})["images"];
        _seller->makePrimary(product, images[1]["id"]);
        json left = _seller->remove(product, images[1]["id"]).data()["images"];
        CPPUNIT_ASSERT_EQUAL(json(true), left[0]["is_primary"]);
        CPPUNIT_ASSERT_EQUAL(images[0]["id"], left[0]["id"]);
        left = _seller->remove(product, images[0]["id"]).data()["images"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, left.size());
        CPPUNIT_ASSERT_EQUAL(images[2]["id"], left[0]["id"]);
        CPPUNIT_ASSERT_EQUAL(json(true), left[0]["is_primary"]);
        CPPUNIT_ASSERT_EQUAL(images[2]["url"].get<std::string>(), namedPrimary(product));
    }

    void testTheLastImageCanBeDeleted() {
        const auto product = _seller->createProduct();
        const json image = onlyImage(product);
        CPPUNIT_ASSERT_EQUAL((json{{"images", json::array()}}), _seller->remove(product, image["id"]).data());
        CPPUNIT_ASSERT_EQUAL(std::string(), namedPrimary(product));
        CPPUNIT_ASSERT_EQUAL(json(true), onlyImage(product)["is_primary"]);
    }

    void testAnotherImageCanBePrimary() {
        const auto product = _seller->createProduct();
        const json images = _seller->add(product, {picture(), picture()})["images"];
        const HttpResponse response = _seller->makePrimary(product, images[1]["id"]);
        CPPUNIT_ASSERT_EQUAL(200, response.status);
        const json now = response.data()["images"];
        CPPUNIT_ASSERT_EQUAL(images[0]["id"], now[0]["id"]);
        CPPUNIT_ASSERT_EQUAL(json(false), now[0]["is_primary"]);
        CPPUNIT_ASSERT_EQUAL(json(true), now[1]["is_primary"]);
        CPPUNIT_ASSERT_EQUAL(now, _seller->images(product));
        CPPUNIT_ASSERT_EQUAL(images[1]["url"].get<std::string>(), namedPrimary(product));
    }

    void testThePrimaryImageIsPrimaryAlready() {
        const auto product = _seller->createProduct();
        const json image = onlyImage(product);
        const json before = _seller->product(product);
        const HttpResponse response = _seller->makePrimary(product, image["id"]);
        CPPUNIT_ASSERT_EQUAL(200, response.status);
        CPPUNIT_ASSERT_EQUAL((json{{"images", {image}}}), response.data());
        CPPUNIT_ASSERT_EQUAL(before, _seller->product(product));
    }

    void testEveryChangeMovesTheProduct() {
        const auto product = _seller->createProduct();
        json version = _seller->product(product)["version"];
        std::int64_t seq = changeSeq(product);
        const auto requireMoved = [&] {
            const HttpResponse read = _seller->http().get("/products/" + std::to_string(product),
                                                          {{"If-None-Match", "\"" + version.dump() + "\""}});
            CPPUNIT_ASSERT_EQUAL(200, read.status);
            CPPUNIT_ASSERT_EQUAL(version.get<int>() + 1, read.data()["product"]["version"].get<int>());
            version = read.data()["product"]["version"];
            CPPUNIT_ASSERT_EQUAL(seq + 1, changeSeq(product));
            ++seq;
        };
        const json images = _seller->add(product, {picture(), picture()})["images"];
        requireMoved();
        _seller->makePrimary(product, images[1]["id"]);
        requireMoved();
        _seller->remove(product, images[0]["id"]);
        requireMoved();
        CPPUNIT_ASSERT_EQUAL(404, _seller->remove(product, images[0]["id"]).status);
        CPPUNIT_ASSERT_EQUAL(seq, changeSeq(product));
    }

    void testEveryChangeIsInTheAuditLog() {
        const auto product = _seller->createProduct();
        const json images = _seller->add(product, {picture(), picture()})["images"];
        const json first = images[0]["id"];
        const json second = images[1]["id"];
        _seller->makePrimary(product, second);
        _seller->makePrimary(product, second);
        _seller->remove(product, second);
        _seller->remove(product, second);
        const auto state = [](const json& ids, const json& primary) {
            return json{{"images", ids}, {"primary_image", primary}};
        };
        const json none = state(json::array(), nullptr);
        const json both = state({first, second}, first);
        const json other = state({first, second}, second);
        const json last = state(json::array({first}), first);
        CPPUNIT_ASSERT_EQUAL(json({{none, both}, {both, other}, {other, last}}), audited(product));
    }

    void testEveryChangeIsInTheChangeLog() {
        const auto product = _seller->createProduct();
        const std::int64_t supplier =
            _world.database().integer("SELECT supplier_id FROM products WHERE id = " + std::to_string(product));
        const HttpResponse added = _seller->post(product, {picture(), picture()});
        CPPUNIT_ASSERT_EQUAL(std::string("2"), added.header("X-Change-Seq"));
        const json images = added.data()["images"];
        CPPUNIT_ASSERT_EQUAL(std::string("3"), _seller->makePrimary(product, images[1]["id"]).header("X-Change-Seq"));
        _seller->makePrimary(product, images[1]["id"]); // nothing to change
        CPPUNIT_ASSERT_EQUAL(std::string("4"), _seller->remove(product, images[0]["id"]).header("X-Change-Seq"));
        _seller->remove(product, images[0]["id"]);
        const std::string id = std::to_string(product);
        const std::string changed = "product.images_changed " + id;
        CPPUNIT_ASSERT((std::vector<std::string>{"product.created " + id, changed, changed, changed}) ==
                       changesOf(_world.database(), supplier));
    }

    void testTheSamePictureOnTwoProductsHasFilesOfItsOwn() {
        const std::string url = picture();
        const auto one = _seller->createProduct();
        const auto two = _seller->createProduct();
        const json first = _seller->add(one, {url})["images"][0];
        const json second = _seller->add(two, {url})["images"][0];
        CPPUNIT_ASSERT(first["url"] != second["url"]);
        _seller->remove(one, first["id"]);
        HttpClient files = _world.files();
        CPPUNIT_ASSERT_EQUAL(404, files.get(first["url"]).status);
        CPPUNIT_ASSERT_EQUAL(200, files.get(second["url"]).status);
        CPPUNIT_ASSERT_EQUAL(200, files.get(second["thumbnail_url"]).status);
    }

private:
    std::string picture() { return _world.origin().serve(smallPicture(_number++)); }
    json onlyImage(std::int64_t product) { return _seller->add(product, {picture()})["images"][0]; }
    /// products.primary_image, "" for none.
    std::string namedPrimary(std::int64_t product) {
        return _world.database().text("SELECT COALESCE(primary_image, '') FROM products WHERE id = " +
                                      std::to_string(product));
    }
    /// What was before and after each change of the product, oldest first.
    json audited(std::int64_t product) {
        json changes = json::array();
        for (const TestRow& row : _world.database().query(
                 "SELECT before_json, after_json FROM audit_log WHERE action = 'product.update' AND "
                 "object = 'product' AND actor LIKE 'sk\\_%' AND object_id = " +
                 std::to_string(product) + " ORDER BY id"))
            changes.push_back({json::parse(*row[0]), json::parse(*row[1])});
        return changes;
    }
    std::int64_t changeSeq(std::int64_t product) {
        return _world.database().integer("SELECT change_seq FROM products WHERE id = " + std::to_string(product));
    }

    MediaWorld& _world = MediaWorld::instance();
    std::unique_ptr<Seller> _seller;
    unsigned _number = 0;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ImageChangesTest);

} // namespace supplierd::tests
