#include "CsvFixture.h"
#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <future>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

/// The pictures' origin, and the folder that the plugin media keeps them in.
struct Pictures {
    std::string png = blackPng(64, 64);
    TemporaryDirectory root;
    std::promise<void> release; ///< of what is below /held/
    std::shared_future<void> isReleased{release.get_future()};
    LoopbackOrigin origin{[this](OriginConnection& connection) {
        if (connection.target().starts_with("/held/"))
            isReleased.wait();
        if (connection.target().ends_with(".png"))
            connection.answer("200 OK", png);
        else
            connection.answer("404 Not Found", "nothing here");
    }};

    std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(origin.port()) + "/" + path;
    }
};

Pictures& pictures() {
    static Pictures all;
    return all;
}

} // namespace

ServerFixture& fixture() {
    static ServerFixture shared({.plugins = {"categories", "catalog", "media", "csv"},
                                 .configuration = "[plugins.media]\nroot = \"" + pictures().root.path().string() +
                                                  "\"\n[plugins.media.fetch]\nallow_networks = [\"127.0.0.1/32\"]\n"
                                                  "allow_ports = [" +
                                                  std::to_string(pictures().origin.port()) + "]\n"});
    return shared;
}

/// Images of products from the column image_urls.
class ImageUrlsTest : public CppUnit::TestFixture {};

TEST(ImageUrlsTest, imagesAreFetchedOnce) {
    CsvClient supplier;
    const std::string file = "sku,name,category_id,base_price,unit,afbeeldingen\nP,Rose," +
                             std::to_string(supplier.on().category()) + ",1,stem," + pictures().url("once-a.png") +
                             " | " + pictures().url("once-b.png") + "\n";
    requireCounts(supplier.import(file), 1, 0, 0, 0);
    const json product = supplier.bySku("P");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, product["images"].size());
    CPPUNIT_ASSERT_EQUAL(product["images"][0]["url"], product["primary_image"]);
    requireStatus(200, supplier.on().server().rootClient().get(product["images"][1]["url"].get<std::string>()));
    const std::size_t requests = pictures().origin.requests().size();
    const std::int64_t seq = supplier.changeSeq();
    requireCounts(supplier.import(file), 0, 0, 1, 0);
    CPPUNIT_ASSERT_EQUAL(requests, pictures().origin.requests().size());
    CPPUNIT_ASSERT_EQUAL(seq, supplier.changeSeq());
    requireCounts(supplier.import("sku,image_urls\nP," + pictures().url("once-c.png") + "\n"), 0, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, supplier.bySku("P")["images"].size());
}

TEST(ImageUrlsTest, imageThatWasDeletedIsFetchedAgain) {
    CsvClient supplier;
    const json product = supplier.create({{"sku", "P"}});
    const std::string file = "sku,image_urls\nP," + pictures().url("again.png") + "\n";
    requireCounts(supplier.import(file), 0, 1, 0, 0);
    const json image = supplier.bySku("P")["images"][0];
    const std::string images = "/products/" + product["id"].dump() + "/images/";
    requireStatus(200, supplier.post(images + image["id"].dump() + "/delete", json::object()));
    requireCounts(supplier.import(file), 0, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, supplier.bySku("P")["images"].size());
}

TEST(ImageUrlsTest, urlThatGivesNoImageIsItsCellsError) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}, {"stock_qty", 1}});
    const std::string missing = pictures().url("missing");
    const json data = supplier.import("sku,stock_qty,image_urls\nP,7," + missing + "|" + pictures().url("good.png") +
                                      "\nQ,1," + pictures().url("of-no-product.png") + "\n");
    requireCounts(data, 0, 0, 0, 2);
    const json& detail = data["errors"][0]["details"][0];
    CPPUNIT_ASSERT_EQUAL(std::string("image_urls"), detail["column"].get<std::string>());
    CPPUNIT_ASSERT_MESSAGE(detail.dump(), detail["message"].get<std::string>().starts_with(missing + ": "));
    const json product = supplier.bySku("P");
    CPPUNIT_ASSERT_EQUAL(7, product["stock_qty"].get<int>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, product["images"].size());
}

TEST(ImageUrlsTest, exportedImagesAreKnown) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    supplier.import("sku,image_urls\nP," + pictures().url("kept.png") + "\n");
    const std::size_t requests = pictures().origin.requests().size();
    requireCounts(supplier.import(supplier.exported()), 0, 0, 1, 0);
    CPPUNIT_ASSERT_EQUAL(requests, pictures().origin.requests().size());
    const std::string address = "http://elsewhere.example" + supplier.bySku("P")["primary_image"].get<std::string>();
    requireCounts(supplier.import("sku,image_urls\nP," + address + "\n"), 0, 0, 1, 0);
}

TEST(ImageUrlsTest, moreImagesThanAProductMayHaveAreRefused) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    std::string urls;
    for (int i = 0; i < 9; ++i)
        urls += pictures().url("many-" + std::to_string(i) + ".png|");
    requireCounts(supplier.import("sku,image_urls\nP," + urls + "\n"), 0, 1, 0, 0);
    const json data = supplier.import("sku,image_urls\nP," + pictures().url("x.png|") + pictures().url("y.png") + "\n");
    requireCounts(data, 0, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(std::string("too_many"), data["errors"][0]["details"][0]["code"].get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{9}, supplier.bySku("P")["images"].size());
}

TEST(ImageUrlsTest, importWithoutImagesWaitsForNoPictures) {
    CsvClient patient;
    CsvClient other;
    const std::string file = productsFile(3, other.on().category());
    const json waiting = dataOf(patient.upload("sku,name,category,price,unit,image_urls\nA,a,Cut flowers,1,box," +
                                               pictures().url("held/a.png") + "\n"),
                                202);
    requireCounts(other.import(file), 3, 0, 0, 0);
    const std::int64_t import = idOf(waiting["import"]);
    CPPUNIT_ASSERT_EQUAL(0,
                         dataOf(patient.get("/imports/" + std::to_string(import)))["import"]["rows_done"].get<int>());
    pictures().release.set_value();
    requireCounts(patient.waitForEnd(import), 1, 0, 0, 0);
}

TEST(ImageUrlsTest, dryRunFetchesNothingAndSaysSo) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    const std::string file =
        "sku,image_urls\nP," + pictures().url("dry-a.png") + "|" + pictures().url("dry-b.png") + "\n";
    const std::size_t requests = pictures().origin.requests().size();
    const json dry = supplier.import(file, "dry_run=true");
    requireCounts(dry, 0, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(json(2), dry["import"]["unfetched_images"]);
    CPPUNIT_ASSERT_EQUAL(requests, pictures().origin.requests().size());
    CPPUNIT_ASSERT(supplier.bySku("P")["images"].empty());
    const json done = supplier.import(file);
    requireCounts(done, 0, 1, 0, 0);
    CPPUNIT_ASSERT_EQUAL(json(0), done["import"]["unfetched_images"]);
    const json again = supplier.import(file, "dry_run=true"); // the product has them
    requireCounts(again, 0, 0, 1, 0);
    CPPUNIT_ASSERT_EQUAL(json(0), again["import"]["unfetched_images"]);
}

TEST(ImageUrlsTest, dryRunSaysOfEachUrlWhatTheImportWouldSay) {
    CsvClient supplier;
    const std::vector<std::string> urls{
        "ftp://pictures.example/a.png", "pictures/a.png",         "https://ann:secret@pictures.example/a.png",
        "http://10.0.0.7/a.png",        "http://localhost/a.png", "https://pictures.example:22/a.png"};
    std::string file = "sku,image_urls\n";
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const std::string sku = "P-" + std::to_string(i);
        supplier.create({{"sku", sku}});
        file.append(sku).append(",").append(urls[i]).append("\n");
    }
    const json dry = supplier.import(file, "dry_run=true");
    requireCounts(dry, 0, 0, 0, static_cast<int>(urls.size()));
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const json& detail = dry["errors"][i]["details"][0];
        CPPUNIT_ASSERT_EQUAL(json("image_urls"), detail["column"]);
        CPPUNIT_ASSERT_MESSAGE(detail.dump(), detail["message"].get<std::string>().starts_with(urls[i] + ": "));
    }
    CPPUNIT_ASSERT_EQUAL(json(0), dry["import"]["unfetched_images"]);
    CPPUNIT_ASSERT_EQUAL(supplier.import(file)["errors"], dry["errors"]);
}

TEST(ImageUrlsTest, dryRunCountsTheImagesOfAProduct) {
    CsvClient supplier;
    supplier.create({{"sku", "P"}});
    std::string urls;
    for (int i = 0; i < 9; ++i)
        urls += pictures().url("counted-" + std::to_string(i) + ".png|");
    supplier.import("sku,image_urls\nP," + urls + "\n");
    const std::string more = "sku,image_urls\nP," + pictures().url("over-a.png|") + pictures().url("over-b.png") + "\n";
    const json dry = supplier.import(more, "dry_run=true");
    requireCounts(dry, 0, 0, 0, 1);
    CPPUNIT_ASSERT_EQUAL(json(0), dry["import"]["unfetched_images"]);
    CPPUNIT_ASSERT_EQUAL(supplier.import(more)["errors"], dry["errors"]);
}

} // namespace supplierd::tests
