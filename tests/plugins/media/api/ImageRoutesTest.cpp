#include "ImageFixtures.h"
#include "MediaFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

namespace supplierd::tests {

using media::ImageType;

/// Adding images and reading them, as a supplier sees it.
class ImageRoutesTest : public CppUnit::TestFixture {
public:
    void tearDown() override { _fixture.requireAgreement(); }

protected:
    std::string picture(ImageType type = ImageType::Jpeg) {
        return _fixture.origin().serve(encoded(gradient(40, 30 + _number++ % 50), type));
    }

    json onlyImage(std::int64_t product, const std::string& bytes) { return onlyImage(_supplier, product, bytes); }
    json onlyImage(MediaClient& supplier, std::int64_t product, const std::string& bytes) {
        const json images = supplier.add(product, {_fixture.origin().serve(bytes)})["images"];
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, images.size());
        return images[0];
    }

    static void requireTooMany(const HttpResponse& response) {
        requireStatus(422, response);
        CPPUNIT_ASSERT_EQUAL(json("image_url"), response.error()["details"][0]["field"]);
        CPPUNIT_ASSERT_EQUAL(json("too_many"), response.error()["details"][0]["code"]);
    }

    /// products.primary_image, "" for none.
    std::string namedPrimary(std::int64_t product) {
        return _fixture.database().text("SELECT COALESCE(primary_image, '') FROM products WHERE id = " +
                                        std::to_string(product));
    }

    MediaFixture& _fixture = mediaFixture();
    MediaClient _supplier{_fixture};
    static inline unsigned _number = 0;
};

TEST(ImageRoutesTest, imagesAreAddedInTheirOrderAndTheFirstIsPrimary) {
    const auto product = _supplier.createProduct();
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier.images(product));
    const json data =
        _supplier.add(product, {picture(ImageType::Png), picture(ImageType::Jpeg), picture(ImageType::Webp)});
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
    CPPUNIT_ASSERT_EQUAL(images, _supplier.images(product));
    CPPUNIT_ASSERT_EQUAL(images, _supplier.read(product)["images"]);
    CPPUNIT_ASSERT_EQUAL(images[0]["url"].get<std::string>(), namedPrimary(product));
}

TEST(ImageRoutesTest, laterImagesComeBehindTheOthers) {
    const auto product = _supplier.createProduct();
    const json first = _supplier.add(product, {picture()})["images"];
    const json all = _supplier.add(product, {picture(), picture()})["images"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, all.size());
    CPPUNIT_ASSERT_EQUAL(first[0], all[0]);
    CPPUNIT_ASSERT_EQUAL(json(false), all[1]["is_primary"]);
}

TEST(ImageRoutesTest, whatIsServedIsThePictureAndItsThumbnail) {
    const auto raster = gradient(900, 600);
    const std::string bytes = encoded(raster, ImageType::Png);
    const json image = onlyImage(_supplier.createProduct(), bytes);
    HttpClient files = _fixture.server().rootClient();
    const HttpResponse original = files.get(image["url"]);
    requireStatus(200, original);
    CPPUNIT_ASSERT_EQUAL(std::string("image/png"), original.header("Content-Type"));
    CPPUNIT_ASSERT(difference(raster, decoded(original.body)) < 0.01);
    const auto thumbnail = decoded(files.get(image["thumbnail_url"]).body);
    CPPUNIT_ASSERT_EQUAL(400u, thumbnail.width);
    CPPUNIT_ASSERT(thumbnail.height == 266 || thumbnail.height == 267);
}

TEST(ImageRoutesTest, metadataIsGone) {
    const std::string bytes = withJpegSegment(smallPicture(), 0xE1, exifWithCanary(media::Orientation::Upright));
    requireIn(CANARY, bytes);
    const json image = onlyImage(_supplier.createProduct(), bytes);
    HttpClient files = _fixture.server().rootClient();
    for (const char* const url : {"url", "thumbnail_url"})
        CPPUNIT_ASSERT(files.get(image[url]).body.find(CANARY) == std::string::npos);
}

TEST(ImageRoutesTest, theSameUrlTwiceIsFetchedOnceAndOneImage) {
    const auto product = _supplier.createProduct();
    const std::string a = picture();
    const std::string b = picture();
    const std::string bad = _fixture.origin().serve("no picture");
    const json data = _supplier.add(product, {a, bad, a, b, bad, a});
    CPPUNIT_ASSERT_EQUAL(json(2), data["added"]);
    CPPUNIT_ASSERT_EQUAL(json(1), data["failed"]);
    CPPUNIT_ASSERT_EQUAL(json(1), data["errors"][0]["index"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, data["images"].size());
    for (const auto& url : {a, b, bad})
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _fixture.origin().requests(url));
    // As often as one likes: it is one image.
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier.add(product, std::vector<std::string>(30, a))["added"]);
}

TEST(ImageRoutesTest, urlsWithoutAnImageAreNamedByTheirPlace) {
    const auto product = _supplier.createProduct();
    const std::string text = _fixture.origin().serve("<html>no picture</html>");
    const std::string missing = _fixture.origin().serve("") + "/missing";
    const HttpResponse response = _supplier.post(
        imagesPath(product),
        {{"image_url", " ; " + text + " ;; " + picture() + ";" + missing + ";ftp://a.example/;http://10.0.0.1/x;"}});
    requireStatus(201, response);
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

TEST(ImageRoutesTest, notOneImageIsARefusalWithAllReasons) {
    const auto product = _supplier.createProduct();
    const json before = _supplier.read(product);
    const std::string text = _fixture.origin().serve("no picture");
    const HttpResponse response = _supplier.postImages(product, {"http://192.168.0.1/x", text});
    requireStatus(422, response);
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
    CPPUNIT_ASSERT_EQUAL(before, _supplier.read(product));
}

TEST(ImageRoutesTest, imageUrlMustBeATextWithAUrl) {
    const auto product = _supplier.createProduct();
    const std::vector<std::pair<json, std::string>> bodies{{json::object(), "required"},
                                                           {{{"image_url", nullptr}}, "required"},
                                                           {{{"image_url", ""}}, "required"},
                                                           {{{"image_url", "  "}}, "required"},
                                                           {{{"image_url", " ; ;"}}, "required"},
                                                           {{{"image_url", 5}}, "type"},
                                                           {{{"image_url", json::array()}}, "type"},
                                                           {{{"image_url", std::string(40'000, 'x')}}, "too_long"}};
    for (const auto& [body, code] : bodies) {
        const HttpResponse response = _supplier.post(imagesPath(product), body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), 422, response.status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), json("image_url"), response.error()["details"][0]["field"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.dump(), json(code), response.error()["details"][0]["code"]);
    }
    requireStatus(422, _supplier.postText(imagesPath(product), "[]"));
    CPPUNIT_ASSERT_EQUAL(415,
                         _supplier.request("POST", imagesPath(product), {{"Content-Type", "text/plain"}}, "x").status);
}

TEST(ImageRoutesTest, moreThanTenAreRefusedBeforeAnythingIsFetched) {
    const auto product = _supplier.createProduct();
    std::vector<std::string> eleven;
    while (eleven.size() < 11)
        eleven.push_back(picture());
    requireTooMany(_supplier.postImages(product, eleven));
    _supplier.add(product, {picture(), picture()});
    eleven.resize(9);
    const std::size_t before = _fixture.origin().requests();
    requireTooMany(_supplier.postImages(product, eleven));
    CPPUNIT_ASSERT_EQUAL(before, _fixture.origin().requests());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _supplier.images(product).size());
}

TEST(ImageRoutesTest, tenAreTaken) {
    const auto product = _supplier.createProduct();
    std::vector<std::string> urls;
    while (urls.size() < 10)
        urls.push_back(picture());
    const json images = _supplier.add(product, urls)["images"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, images.size());
    requireTooMany(_supplier.postImages(product, {picture()}));
    requireStatus(200, _supplier.removeImage(product, images[4]["id"]));
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier.add(product, {picture()})["added"]);
}

TEST(ImageRoutesTest, unknownProductsAndImagesAreNotFound) {
    MediaClient other(_fixture);
    const auto theirs = other.createProduct();
    const json theirImage = onlyImage(other, theirs, smallPicture());
    const auto deleted = _supplier.createProduct();
    const json deletedImage = onlyImage(deleted, smallPicture());
    _supplier.remove(deleted);
    const auto mine = _supplier.createProduct();
    const json mineImage = onlyImage(mine, smallPicture());
    const auto another = _supplier.createProduct();
    const std::string url = picture();
    for (const std::int64_t product : {theirs, deleted, std::int64_t{999'999'999}}) {
        const json image = product == theirs ? theirImage : deletedImage;
        requireStatus(404, _supplier.get(imagesPath(product)));
        requireStatus(404, _supplier.postImages(product, {url}));
        requireStatus(404, _supplier.post(imagesPath(product), json::object()));
        requireStatus(404, _supplier.removeImage(product, image["id"]));
        requireStatus(404, _supplier.makePrimary(product, image["id"]));
        requireStatus(404, _supplier.setOrder(product, json::array({image["id"]})));
    }
    for (const json& image : {theirImage["id"], deletedImage["id"], mineImage["id"], json(999'999'999)}) {
        requireStatus(404, _supplier.removeImage(another, image));
        requireStatus(404, _supplier.makePrimary(another, image));
        requireStatus(404, _supplier.setOrder(another, json::array({image})));
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _fixture.origin().requests(url));
    CPPUNIT_ASSERT_EQUAL(json::array({theirImage}), other.images(theirs));
    CPPUNIT_ASSERT_EQUAL(json::array({mineImage}), _supplier.images(mine));
    CPPUNIT_ASSERT_EQUAL(json(1), _supplier.read(another)["version"]);
}

TEST(ImageRoutesTest, aFileBecomesAnImageOfAnOwnProductAlone) {
    const HttpHeaders jpeg{{"Content-Type", "image/jpeg"}};
    const auto upload = [&](HttpClient& client, std::int64_t product, const HttpHeaders& headers) {
        return client.postText(imagesPath(product) + "/upload?name=rose.jpg", smallPicture(), headers);
    };
    const auto product = _supplier.createProduct();
    const HttpResponse added = upload(_supplier, product, jpeg);
    requireStatus(201, added);
    CPPUNIT_ASSERT_EQUAL(_supplier.images(product), added.data()["images"]);
    MediaClient other(_fixture);
    requireStatus(404, upload(other, product, jpeg));
    MediaClient reader(_fixture, "products:read");
    requireStatus(403, upload(reader, product, jpeg));
    requireStatus(415, upload(_supplier, product, {{"Content-Type", "image/gif"}}));
    const HttpResponse withKey =
        upload(_supplier, product, {{"Content-Type", "image/jpeg"}, {"Idempotency-Key", "once"}});
    requireStatus(422, withKey);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier.images(product).size());
}

TEST(ImageRoutesTest, aProductDeletedWhileItsImagesAreFetchedIsNotFound) {
    const auto product = _supplier.createProduct();
    HttpClient deleter = _supplier.anotherClient();
    const std::string url = _fixture.origin().script([&](OriginConnection& connection) {
        deleter.postEmpty("/products/" + std::to_string(product) + "/delete");
        connection.answer("200 OK", smallPicture());
    });
    const HttpResponse response = _supplier.postImages(product, {url});
    requireStatus(404, response);
}

TEST(ImageRoutesTest, scopesAreNeeded) {
    MediaClient reader(_fixture, "products:read");
    for (const std::string path : {"", "/1/delete", "/1/primary", "/order"}) {
        const HttpResponse refused = reader.post("/products/1/images" + path, {{"image_url", "x"}});
        requireStatus(403, refused);
        CPPUNIT_ASSERT_EQUAL(json("scope"), refused.error()["details"][0]["code"]);
    }
    requireStatus(404, reader.get("/products/1/images"));
    MediaClient writer(_fixture, "products:write");
    requireStatus(403, writer.get("/products/1/images"));
    HttpClient nobody = _fixture.server().client();
    requireStatus(401, nobody.get("/products/1/images"));
}

TEST(ImageRoutesTest, aRepeatWithTheSameKeyAddsOnce) {
    const auto product = _supplier.createProduct();
    const std::string url = picture();
    const HttpHeaders key{{"Idempotency-Key", "once"}};
    const HttpResponse first = _supplier.postImages(product, {url}, key);
    requireStatus(201, first);
    const HttpResponse again = _supplier.postImages(product, {url}, key);
    requireStatus(201, again);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _fixture.origin().requests(url));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier.images(product).size());
}

TEST(ImageRoutesTest, aRepeatedRefusalIsNotFetchedAnew) {
    const auto product = _supplier.createProduct();
    const std::string url = _fixture.origin().serve("no picture");
    const HttpHeaders key{{"Idempotency-Key", "refused"}};
    const HttpResponse first = _supplier.postImages(product, {url}, key);
    requireStatus(422, first);
    const HttpResponse again = _supplier.postImages(product, {url}, key);
    requireStatus(422, again);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.error()["details"], again.error()["details"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _fixture.origin().requests(url));
}

TEST(ImageRoutesTest, imagesAreCounted) {
    const std::string accepted = R"(supplierd_media_images_total{outcome="accepted"})";
    const std::string damaged = R"(supplierd_media_images_total{outcome="damaged"})";
    const auto acceptedBefore = _fixture.server().metric(accepted);
    const auto damagedBefore = _fixture.server().metric(damaged);
    const auto bytesBefore = _fixture.server().metric("supplierd_media_stored_bytes_total");
    const std::string whole = smallPicture();
    const std::string cut = _fixture.origin().serve(whole.substr(0, whole.size() / 2));
    _supplier.add(_supplier.createProduct(), {picture(), cut});
    CPPUNIT_ASSERT_EQUAL(acceptedBefore + 1, _fixture.server().metric(accepted));
    CPPUNIT_ASSERT_EQUAL(damagedBefore + 1, _fixture.server().metric(damaged));
    CPPUNIT_ASSERT(_fixture.server().metric("supplierd_media_stored_bytes_total") > bytesBefore);
    CPPUNIT_ASSERT(_fixture.server().metric("supplierd_media_fetch_seconds_count") >= 2);
}

TEST(ImageRoutesTest, theLogHoldsNoUrl) {
    const std::string url = _fixture.origin().serve("no picture") + "?token=SECRET-OF-THE-SUPPLIER";
    _supplier.refusal(_supplier.createProduct(), url);
    const std::string log = _fixture.server().log() + readWholeFile(_fixture.server().accessLogFile());
    requireIn("an image was refused", log);
    CPPUNIT_ASSERT(log.find("SECRET-OF-THE-SUPPLIER") == std::string::npos);
}

} // namespace supplierd::tests
