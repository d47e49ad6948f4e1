#include "ImageFixtures.h"
#include "MediaWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>

namespace supplierd::tests {

using media::ImageType;
using nlohmann::json;

/// Adding images and reading them, as a supplier sees it.
class ImageRoutesTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ImageRoutesTest);
    CPPUNIT_TEST(testImagesAreAddedInTheirOrderAndTheFirstIsPrimary);
    CPPUNIT_TEST(testLaterImagesComeBehindTheOthers);
    CPPUNIT_TEST(testWhatIsServedIsThePictureAndItsThumbnail);
    CPPUNIT_TEST(testMetadataIsGone);
    CPPUNIT_TEST(testTheSameUrlTwiceIsFetchedOnceAndOneImage);
    CPPUNIT_TEST(testUrlsWithoutAnImageAreNamedByTheirPlace);
    CPPUNIT_TEST(testNotOneImageIsARefusalWithAllReasons);
    CPPUNIT_TEST(testImageUrlMustBeATextWithAUrl);
    CPPUNIT_TEST(testMoreThanTenAreRefusedBeforeAnythingIsFetched);
    CPPUNIT_TEST(testTenAreTaken);
    CPPUNIT_TEST(testUnknownProductsAndImagesAreNotFound);
    CPPUNIT_TEST(testAProductDeletedWhileItsImagesAreFetchedIsNotFound);
    CPPUNIT_TEST(testScopesAreNeeded);
    CPPUNIT_TEST(testARepeatWithTheSameKeyAddsOnce);
    CPPUNIT_TEST(testARepeatedRefusalIsNotFetchedAnew);
    CPPUNIT_TEST(testImagesAreCounted);
    CPPUNIT_TEST(testTheLogHoldsNoUrl);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _seller = std::make_unique<Seller>(_world); }
    void tearDown() override {
        _seller.reset();
        _world.requireAgreement();
    }

    void testImagesAreAddedInTheirOrderAndTheFirstIsPrimary() {
        const auto product = _seller->createProduct();
        CPPUNIT_ASSERT_EQUAL(json::array(), _seller->images(product));
        const json data =
            _seller->add(product, {picture(ImageType::Png), picture(ImageType::Jpeg), picture(ImageType::Webp)});
        CPPUNIT_ASSERT_EQUAL(json(3), data["added"]);
        CPPUNIT_ASSERT_EQUAL(json(0), data["failed"]);
        CPPUNIT_ASSERT_EQUAL(json::array(), data["errors"]);
        const json& images = data["images"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, images.size());
        const char* endings[] = {".png", ".jpg", ".webp"};
        for (std::size_t i = 0; i < 3; ++i) {
            CPPUNIT_ASSERT_EQUAL(json(i == 0), images[i]["is_primary"]);
            const auto url = images[i]["url"].get<std::string>();
            CPPUNIT_ASSERT_MESSAGE(url, url.starts_with("/media/") && url.ends_with(endings[i]));
            CPPUNIT_ASSERT(images[i]["thumbnail_url"].get<std::string>().starts_with("/media/"));
            CPPUNIT_ASSERT_EQUAL(std::size_t{4}, images[i].size());
        }
        CPPUNIT_ASSERT_EQUAL(images, _seller->images(product));
        CPPUNIT_ASSERT_EQUAL(images, _seller->product(product)["images"]);
        CPPUNIT_ASSERT_EQUAL(images[0]["url"].get<std::string>(), namedPrimary(product));
    }

    void testLaterImagesComeBehindTheOthers() {
        const auto product = _seller->createProduct();
        const json first = _seller->add(product, {picture()})["images"];
        const json all = _seller->add(product, {picture(), picture()})["images"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, all.size());
        CPPUNIT_ASSERT_EQUAL(first[0], all[0]);
        CPPUNIT_ASSERT_EQUAL(json(false), all[1]["is_primary"]);
    }

    void testWhatIsServedIsThePictureAndItsThumbnail() {
        const auto raster = gradient(900, 600);
        const std::string bytes = encoded(raster, ImageType::Png);
        const json image = onlyImage(_seller->createProduct(), bytes);
        HttpClient files = _world.files();
        const HttpResponse original = files.get(image["url"]);
        CPPUNIT_ASSERT_EQUAL(200, original.status);
        CPPUNIT_ASSERT_EQUAL(std::string("image/png"), original.header("Content-Type"));
        CPPUNIT_ASSERT(difference(raster, decoded(original.body)) < 0.01);
        const auto thumbnail = decoded(files.get(image["thumbnail_url"]).body);
        CPPUNIT_ASSERT_EQUAL(400u, thumbnail.width);
        CPPUNIT_ASSERT(thumbnail.height == 266 || thumbnail.height == 267);
    }

    void testMetadataIsGone() {
        const std::string bytes = withJpegSegment(smallPicture(), 0xE1, exifWithCanary(media::Orientation::Upright));
        CPPUNIT_ASSERT(bytes.find(CANARY) != std::string::npos);
        const json image = onlyImage(_seller->createProduct(), bytes);
        HttpClient files = _world.files();
        for (const char* const url : {"url", "thumbnail_url"})
            CPPUNIT_ASSERT(files.get(image[url]).body.find(CANARY) == std::string::npos);
    }

    void testTheSameUrlTwiceIsFetchedOnceAndOneImage() {
        const auto product = _seller->createProduct();
        const std::string a = picture();
        const std::string b = picture();
        const std::string bad = _world.origin().serve("no picture");
        const json data = _seller->add(product, {a, bad, a, b, bad, a});
        CPPUNIT_ASSERT_EQUAL(json(2), data["added"]);
        CPPUNIT_ASSERT_EQUAL(json(1), data["failed"]);
        CPPUNIT_ASSERT_EQUAL(json(1), data["errors"][0]["index"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, data["images"].size());
        for (const auto& url : {a, b, bad})
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _world.origin().requests(url));
        // As often as one likes: it is one image.
        CPPUNIT_ASSERT_EQUAL(json(1), _seller->add(product, std::vector<std::string>(30, a))["added"]);
    }

    void testUrlsWithoutAnImageAreNamedByTheirPlace() {
        const auto product = _seller->createProduct();
        const std::string text = _world.origin().serve("<html>no picture</html>");
        const std::string missing = _world.origin().serve("") + "/missing";
        const HttpResponse response =
            _seller->http().post(imagesPath(product), {{"image_url", " ; " + text + " ;; " + picture() + ";" + missing +
                                                                         ";ftp://a.example/;http://10.0.0.1/x;"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
        const json data = response.data();
        CPPUNIT_ASSERT_EQUAL(json(1), data["added"]);
        CPPUNIT_ASSERT_EQUAL(json(4), data["failed"]);
        const json expected{
            {{"index", 0}, {"url", text}, {"code", "type"}},
            {{"index", 2}, {"url", missing}, {"code", "http_status"}},
            {{"index", 3}, {"url", "ftp://a.example/"}, {"code", "address"}},
            {{"index", 4}, {"url", "http://10.0.0.1/x"}, {"code", "address"}, {"error", "address not allowed"}}};
        for (std::size_t i = 0; i < expected.size(); ++i)
            for (const auto& [name, value] : expected[i].items())
                CPPUNIT_ASSERT_EQUAL(value, data["errors"][i][name]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, data["errors"][0].size());
        CPPUNIT_ASSERT(!data["errors"][0]["error"].get<std::string>().empty());
    }

    void testNotOneImageIsARefusalWithAllReasons() {
        const auto product = _seller->createProduct();
        const json before = _seller->product(product);
        const std::string text = _world.origin().serve("no picture");
        const HttpResponse response = _seller->post(product, {"http://192.168.0.1/x", text});
        CPPUNIT_ASSERT_EQUAL(422, response.status);
        const json error = response.error();
        CPPUNIT_ASSERT_EQUAL(json("VALIDATION_ERROR"), error["code"]);
        CPPUNIT_ASSERT_EQUAL(json("address not allowed"), error["message"]);
        CPPUNIT_ASSERT_EQUAL((json{{"field", "image_url"},
                                   {"code", "address"},
                                   {"message", "address not allowed"},
                                   {"index", 0},
                                   {"url", "http://192.168.0.1/x"},
                                   {"error", "address not allowed"}}),
                             error["details"][0]);
        CPPUNIT_ASSERT_EQUAL(json("type"), error["details"][1]["code"]);
        CPPUNIT_ASSERT_EQUAL(json(1), error["details"][1]["index"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, error["details"].size());
        CPPUNIT_ASSERT_EQUAL(before, _seller->product(product));
    }

    void testImageUrlMustBeATextWithAUrl() {
        const auto product = _seller->createProduct();
        const std::vector<std::pair<json, std::string>> bodies{{json::object(), "required"},
                                                               {{{"image_url", nullptr}}, "required"},
                                                               {{{"image_url", ""}}, "required"},
                                                               {{{"image_url", "  "}}, "required"},
                                                               {{{"image_url", " ; ;"}}, "required"},
                                                               {{{"image_url", 5}}, "type"},
                                                               {{{"image_url", json::array()}}, "type"},
                                                               {{{"image_url", std::string(40'000, 'x')}}, "too_long"}};
        for (const auto& [body, code] : bodies) {
            const HttpResponse response = _seller->http().post(imagesPath(product), body);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), 422, response.status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), json("image_url"), response.error()["details"][0]["field"]);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), json(code), response.error()["details"][0]["code"]);
        }
        CPPUNIT_ASSERT_EQUAL(422, _seller->http().postText(imagesPath(product), "[]").status);
        CPPUNIT_ASSERT_EQUAL(
            415, _seller->http().request("POST", imagesPath(product), {{"Content-Type", "text/plain"}}, "x").status);
    }

    void testMoreThanTenAreRefusedBeforeAnythingIsFetched() {
        const auto product = _seller->createProduct();
        std::vector<std::string> eleven;
        while (eleven.size() < 11)
            eleven.push_back(picture());
        requireTooMany(_seller->post(product, eleven));
        _seller->add(product, {picture(), picture()});
        eleven.resize(9);
        const std::size_t before = _world.origin().requests();
        requireTooMany(_seller->post(product, eleven));
        CPPUNIT_ASSERT_EQUAL(before, _world.origin().requests());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _seller->images(product).size());
    }

    void testTenAreTaken() {
        const auto product = _seller->createProduct();
        std::vector<std::string> urls;
        while (urls.size() < 10)
            urls.push_back(picture());
        const json images = _seller->add(product, urls)["images"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, images.size());
        requireTooMany(_seller->post(product, {picture()}));
        CPPUNIT_ASSERT_EQUAL(200, _seller->remove(product, images[4]["id"]).status);
        CPPUNIT_ASSERT_EQUAL(json(1), _seller->add(product, {picture()})["added"]);
    }

    void testUnknownProductsAndImagesAreNotFound() {
        Seller other(_world);
        const auto theirs = other.createProduct();
        const json theirImage = onlyImage(other, theirs, smallPicture());
        const auto deleted = _seller->createProduct();
        const json deletedImage = onlyImage(deleted, smallPicture());
        _seller->removeProduct(deleted);
        const auto mine = _seller->createProduct();
        const json mineImage = onlyImage(mine, smallPicture());
        const auto another = _seller->createProduct();
        const std::string url = picture();
        for (const std::int64_t product : {theirs, deleted, std::int64_t{999'999'999}}) {
            const json image = product == theirs ? theirImage : deletedImage;
            CPPUNIT_ASSERT_EQUAL(404, _seller->http().get(imagesPath(product)).status);
            CPPUNIT_ASSERT_EQUAL(404, _seller->post(product, {url}).status);
            CPPUNIT_ASSERT_EQUAL(404, _seller->http().post(imagesPath(product), json::object()).status);
            CPPUNIT_ASSERT_EQUAL(404, _seller->remove(product, image["id"]).status);
            CPPUNIT_ASSERT_EQUAL(404, _seller->makePrimary(product, image["id"]).status);
        }
        for (const json& image : {theirImage["id"], deletedImage["id"], mineImage["id"], json(999'999'999)}) {
            CPPUNIT_ASSERT_EQUAL(404, _seller->remove(another, image).status);
            CPPUNIT_ASSERT_EQUAL(404, _seller->makePrimary(another, image).status);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _world.origin().requests(url));
        CPPUNIT_ASSERT_EQUAL(json::array({theirImage}), other.images(theirs));
        CPPUNIT_ASSERT_EQUAL(json::array({mineImage}), _seller->images(mine));
        CPPUNIT_ASSERT_EQUAL(json(1), _seller->product(another)["version"]);
    }

    void testAProductDeletedWhileItsImagesAreFetchedIsNotFound() {
        const auto product = _seller->createProduct();
        HttpClient deleter = _seller->anotherClient();
        const std::string url = _world.origin().script([&](OriginConnection& connection) {
            deleter.postEmpty("/products/" + std::to_string(product) + "/delete");
            connection.answer("200 OK", smallPicture());
        });
        const HttpResponse response = _seller->post(product, {url});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 404, response.status);
    }

    void testScopesAreNeeded() {
        Seller reader(_world, "products:read");
        for (const std::string path : {"", "/1/delete", "/1/primary"}) {
            const HttpResponse refused = reader.http().post("/products/1/images" + path, {{"image_url", "x"}});
            CPPUNIT_ASSERT_EQUAL(403, refused.status);
            CPPUNIT_ASSERT_EQUAL(json("scope"), refused.error()["details"][0]["code"]);
        }
        CPPUNIT_ASSERT_EQUAL(404, reader.http().get("/products/1/images").status);
        Seller writer(_world, "products:write");
        CPPUNIT_ASSERT_EQUAL(403, writer.http().get("/products/1/images").status);
        HttpClient nobody = _world.server().client();
        CPPUNIT_ASSERT_EQUAL(401, nobody.get("/products/1/images").status);
    }

    void testARepeatWithTheSameKeyAddsOnce() {
        const auto product = _seller->createProduct();
        const std::string url = picture();
        const HttpHeaders key{{"Idempotency-Key", "once"}};
        const HttpResponse first = _seller->post(product, {url}, key);
        CPPUNIT_ASSERT_EQUAL(201, first.status);
        const HttpResponse again = _seller->post(product, {url}, key);
        CPPUNIT_ASSERT_EQUAL(201, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _world.origin().requests(url));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _seller->images(product).size());
    }

    void testARepeatedRefusalIsNotFetchedAnew() {
        const auto product = _seller->createProduct();
        const std::string url = _world.origin().serve("no picture");
        const HttpHeaders key{{"Idempotency-Key", "refused"}};
        const HttpResponse first = _seller->post(product, {url}, key);
        CPPUNIT_ASSERT_EQUAL(422, first.status);
        const HttpResponse again = _seller->post(product, {url}, key);
        CPPUNIT_ASSERT_EQUAL(422, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first.error()["details"], again.error()["details"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _world.origin().requests(url));
    }

    void testImagesAreCounted() {
        const std::string accepted = R"(supplierd_media_images_total{outcome="accepted"})";
        const std::string damaged = R"(supplierd_media_images_total{outcome="damaged"})";
        const auto acceptedBefore = _world.metric(accepted);
        const auto damagedBefore = _world.metric(damaged);
        const auto bytesBefore = _world.metric("supplierd_media_stored_bytes_total");
        const std::string whole = smallPicture();
        const std::string cut = _world.origin().serve(whole.substr(0, whole.size() / 2));
        _seller->add(_seller->createProduct(), {picture(), cut});
        CPPUNIT_ASSERT_EQUAL(acceptedBefore + 1, _world.metric(accepted));
        CPPUNIT_ASSERT_EQUAL(damagedBefore + 1, _world.metric(damaged));
        CPPUNIT_ASSERT(_world.metric("supplierd_media_stored_bytes_total") > bytesBefore);
        CPPUNIT_ASSERT(_world.metric("supplierd_media_fetch_seconds_count") >= 2);
    }

    void testTheLogHoldsNoUrl() {
        const std::string url = _world.origin().serve("no picture") + "?token=SECRET-OF-THE-SUPPLIER";
        _seller->refusal(_seller->createProduct(), url);
        const std::string log = _world.server().log() + readWholeFile(_world.server().accessLogFile());
        CPPUNIT_ASSERT(log.find("an image was refused") != std::string::npos);
        CPPUNIT_ASSERT(log.find("SECRET-OF-THE-SUPPLIER") == std::string::npos);
    }

private:
    std::string picture(ImageType type = ImageType::Jpeg) {
        return _world.origin().serve(encoded(gradient(40, 30 + _number++ % 50), type));
    }

    json onlyImage(std::int64_t product, const std::string& bytes) { return onlyImage(*_seller, product, bytes); }
    json onlyImage(Seller& seller, std::int64_t product, const std::string& bytes) {
        const json images = seller.add(product, {_world.origin().serve(bytes)})["images"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, images.size());
        return images[0];
    }

    static void requireTooMany(const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
        CPPUNIT_ASSERT_EQUAL(json("image_url"), response.error()["details"][0]["field"]);
        CPPUNIT_ASSERT_EQUAL(json("too_many"), response.error()["details"][0]["code"]);
    }

    /// products.primary_image, "" for none.
    std::string namedPrimary(std::int64_t product) {
        return _world.database().text("SELECT COALESCE(primary_image, '') FROM products WHERE id = " +
                                      std::to_string(product));
    }

    MediaWorld& _world = MediaWorld::instance();
    std::unique_ptr<Seller> _seller;
    static inline unsigned _number = 0;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ImageRoutesTest);

} // namespace supplierd::tests
