#include "CatalogFixture.h"
#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <filesystem>
#include <memory>
#include <string>

namespace supplierd::tests {

namespace {

/// The pictures' origin, and the folder that the media plugin keeps them in.
struct Pictures {
    std::string jpeg = encoded(gradient(640, 480), media::ImageType::Jpeg);
    std::string png = encoded(gradient(300, 500), media::ImageType::Png);
    TemporaryDirectory root;
    LoopbackOrigin origin{[this](OriginConnection& connection) { answer(connection); }};

    void answer(OriginConnection& connection) const {
        const std::string target = connection.target();
        if (target.ends_with(".jpg"))
            connection.answer("200 OK", jpeg);
        else if (target.ends_with(".png"))
            connection.answer("200 OK", png);
        else if (target.ends_with(".cut"))
            connection.answer("200 OK", jpeg.substr(0, jpeg.size() / 2));
        else if (target.ends_with(".html"))
            connection.answer("200 OK", "<html>", "Content-Type: image/jpeg\r\n");
        else
            connection.answer("404 Not Found", "nothing here");
    }

    std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(origin.port()) + "/" + path;
    }
    std::size_t requests() const { return origin.requests().size(); }
    std::size_t files() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root.path()))
            count += entry.is_regular_file() && !entry.path().filename().string().starts_with('.') ? 1 : 0;
        return count;
    }
};

Pictures& pictures() {
    static Pictures all;
    return all;
}

HttpResponse file(const json& path) {
    return fixture().server().rootClient().get(path.get<std::string>());
}

} // namespace

/// A catalog with the real media plugin, which may fetch from the pictures' origin.
ServerFixture& fixture() {
    static ServerFixture shared({.plugins = {"categories", "catalog", "media"},
                                 .configuration = "[plugins.media]\nroot = \"" + pictures().root.path().string() +
                                                  "\"\n[plugins.media.fetch]\nallow_networks = [\"127.0.0.1/32\"]\n"
                                                  "allow_ports = [" +
                                                  std::to_string(pictures().origin.port()) + "]\n"});
    return shared;
}

/// `image_url` from the origin to the file that is served.
class StoredImagesTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<SupplierClient>();
        _requests = pictures().requests();
        _files = pictures().files();
    }

protected:
    /// `data` of a create with that image_url.
    json create(const std::string& urls) {
        const HttpResponse response = _supplier->postProduct({{"image_url", urls}});
        requireStatus(201, response);
        return response.data();
    }

    std::unique_ptr<SupplierClient> _supplier;
    std::size_t _requests = 0;
    std::size_t _files = 0;
};

TEST(StoredImagesTest, imagesOfANewProductAreServed) {
    const json data = create(pictures().url("a.jpg") + " ; " + pictures().url("b.png") + ";");
    const json product = data["product"];
    CPPUNIT_ASSERT_EQUAL(json::array(), data["image_errors"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, product["images"].size());
    CPPUNIT_ASSERT_EQUAL(product["images"][0]["url"], product["primary_image"]);
    CPPUNIT_ASSERT_EQUAL(product, _supplier->read(product["id"]));
    CPPUNIT_ASSERT_EQUAL(product["primary_image"], _supplier->list()["products"][0]["primary_image"]);
    const HttpResponse original = file(product["images"][0]["url"]);
    requireStatus(200, original);
    CPPUNIT_ASSERT_EQUAL(std::string("image/jpeg"), original.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{640}, decoded(original.body).width);
    CPPUNIT_ASSERT_EQUAL(std::string("image/png"), file(product["images"][1]["url"]).header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{400}, decoded(file(product["images"][0]["thumbnail_url"]).body).width);
    CPPUNIT_ASSERT_EQUAL(_files + 4, pictures().files());
}

TEST(StoredImagesTest, eachUrlThatFailsIsNamed) {
    const json data = create(pictures().url("no") + ";" + pictures().url("a.html") + ";" + pictures().url("c.jpg") +
                             ";" + pictures().url("a.cut") + ";ftp://pictures.example/a.jpg");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, data["product"]["images"].size());
    const json errors = data["image_errors"];
    const std::vector<std::pair<int, std::string>> expected{
        {0, "http_status"}, {1, "type"}, {3, "damaged"}, {4, "address"}};
    CPPUNIT_ASSERT_EQUAL(expected.size(), errors.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CPPUNIT_ASSERT_EQUAL(json(expected[i].first), errors[i]["index"]);
        CPPUNIT_ASSERT_EQUAL(json(expected[i].second), errors[i]["code"]);
        CPPUNIT_ASSERT(!errors[i]["error"].get<std::string>().empty());
    }
    CPPUNIT_ASSERT_EQUAL(json(pictures().url("no")), errors[0]["url"]);
    CPPUNIT_ASSERT_EQUAL(_files + 2, pictures().files());
}

TEST(StoredImagesTest, addressThatIsNotAllowedKeepsTheProduct) {
    const json data = create("http://127.0.0.2:" + std::to_string(pictures().origin.port()) + "/a.jpg");
    CPPUNIT_ASSERT_EQUAL(json("address"), data["image_errors"][0]["code"]);
    CPPUNIT_ASSERT_EQUAL(json("address not allowed"), data["image_errors"][0]["error"]);
    CPPUNIT_ASSERT_EQUAL(json::array(), _supplier->read(data["product"]["id"])["images"]);
    CPPUNIT_ASSERT_EQUAL(_requests, pictures().requests());
}

TEST(StoredImagesTest, duplicateSkuFetchesNothing) {
    _supplier->create({{"sku", "ONE"}});
    requireProblems(_supplier->postProduct({{"sku", "one"}, {"image_url", pictures().url("a.jpg")}}),
                    {"sku:duplicate"});
    CPPUNIT_ASSERT_EQUAL(_requests, pictures().requests());
}

TEST(StoredImagesTest, elevenUrlsFetchNothing) {
    std::string urls;
    for (int i = 0; i < 11; ++i)
        urls += pictures().url(std::to_string(i) + ".jpg") + ";";
    requireProblems(_supplier->postProduct({{"image_url", urls}}), {"image_url:too_many"});
    CPPUNIT_ASSERT(_supplier->ids().empty());
    CPPUNIT_ASSERT_EQUAL(_requests, pictures().requests());
}

TEST(StoredImagesTest, repeatWithAnIdempotencyKeyFetchesNothing) {
    const json body = _supplier->productBody({{"image_url", pictures().url("a.jpg") + ";" + pictures().url("no")}});
    const HttpHeaders key{{"Idempotency-Key", "stored-" + std::to_string(_supplier->id())}};
    const HttpResponse first = _supplier->post("/products", body, key);
    requireStatus(201, first);
    const HttpResponse again = _supplier->post("/products", body, key);
    requireStatus(201, again);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
    CPPUNIT_ASSERT_EQUAL(_requests + 2, pictures().requests());
    CPPUNIT_ASSERT_EQUAL(_files + 2, pictures().files());
}

TEST(StoredImagesTest, updateAddsBehindWhatIsThere) {
    const json product = create(pictures().url("a.jpg"))["product"];
    const json data =
        _supplier->post(pathOf(product), {{"color", "red"}, {"image_url", pictures().url("b.png")}}).data();
    CPPUNIT_ASSERT_EQUAL(json::array(), data["image_errors"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, data["product"]["images"].size());
    CPPUNIT_ASSERT_EQUAL(product["images"][0], data["product"]["images"][0]);
    CPPUNIT_ASSERT_EQUAL(product["primary_image"], data["product"]["primary_image"]);
    CPPUNIT_ASSERT_EQUAL(json(2), data["product"]["version"]);
}

TEST(StoredImagesTest, deleteRemovesRowsAndFiles) {
    const json kept = create(pictures().url("a.jpg"))["product"];
    const json product = create(pictures().url("a.jpg") + ";" + pictures().url("b.png"))["product"];
    CPPUNIT_ASSERT_EQUAL(_files + 6, pictures().files());
    _supplier->remove(product["id"]);
    CPPUNIT_ASSERT_EQUAL(_files + 2, pictures().files());
    requireStatus(404, file(product["primary_image"]));
    requireStatus(200, file(kept["primary_image"]));
    requireStatus(404, _supplier->get(pathOf(product) + "/images"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         fixture().database().integer("SELECT COUNT(*) FROM product_images WHERE product_id = " +
                                                      std::to_string(product["id"].get<std::int64_t>())));
    const json list = _supplier->list("include_deleted=true&sort=id");
    for (const json& listed : list["products"])
        CPPUNIT_ASSERT_EQUAL(listed["id"] == kept["id"] ? kept["primary_image"] : json(nullptr),
                             listed["primary_image"]);
    _supplier->requireTrueTotals();
}

/// As where it was deleted while nobody offered images.
TEST(StoredImagesTest, imagesThatADeleteLeftGoWithTheProduct) {
    const json product = create(pictures().url("a.jpg") + ";" + pictures().url("b.png"))["product"];
    const std::string id = std::to_string(product["id"].get<std::int64_t>());
    const std::string supplier = std::to_string(_supplier->id());
    CPPUNIT_ASSERT_EQUAL(_files + 4, pictures().files());
    fixture().database().exec("UPDATE products SET deleted = 1, deleted_at = NOW(6) WHERE id = " + id +
                              "; DELETE FROM changes WHERE supplier_id = " + supplier);
    const auto run =
        runCommand({.arguments = {ServerProcess::controlProgram(), "--config", fixture().server().configFile(), "job",
                                  "run", "catalog", "remove-deleted"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(run.output + run.errors, 0, run.exitCode);
    CPPUNIT_ASSERT_EQUAL(_files, pictures().files());
    for (const std::string rows : {"products WHERE id", "product_images WHERE product_id"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(rows, std::int64_t{0},
                                     fixture().database().integer("SELECT COUNT(*) FROM " + rows + " = " + id));
}

TEST(StoredImagesTest, primaryImageFollowsTheImageRoutes) {
    const json product = create(pictures().url("a.jpg") + ";" + pictures().url("b.png"))["product"];
    const json second = product["images"][1];
    const std::string image = pathOf(product) + "/images/" + std::to_string(second["id"].get<std::int64_t>());
    requireStatus(200, _supplier->postEmpty(image + "/primary"));
    CPPUNIT_ASSERT_EQUAL(second["url"], _supplier->list()["products"][0]["primary_image"]);
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->read(product["id"])["version"]);
    requireStatus(200, _supplier->postEmpty(image + "/delete"));
    CPPUNIT_ASSERT_EQUAL(product["primary_image"], _supplier->list("changed_after=1")["products"][0]["primary_image"]);
}

} // namespace supplierd::tests
