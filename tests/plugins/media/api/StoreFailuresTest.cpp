#include "ImageFixtures.h"
#include "MediaFixture.h"
#include "PrivateMounts.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <random>
#include <thread>

namespace supplierd::tests {

/// Disks that are full, cannot be written, or lose power; servers that are killed; a database that is away.
class StoreFailuresTest : public CppUnit::TestFixture {
protected:
    static void requireMounts() {
        static const bool allowed = enterPrivateMounts();
        if (!allowed)
            throw Skip("no right to mount");
    }

    /// A file that no image has, a minute old.
    static std::filesystem::path addOrphan(const MediaFixture& fixture) {
        const auto file = fixture.root() / "ab/cd/abcd0000000000000000000000000000.jpg";
        std::filesystem::create_directories(file.parent_path());
        writeWholeFile(file, "orphan");
        std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
        return file;
    }

    /// A PNG that nothing makes smaller.
    static std::string noise(std::uint32_t width, std::uint32_t height) {
        auto raster = oneColour(width, height, 0);
        std::minstd_rand random; // NOLINT: the same picture every time
        for (auto& sample : raster.samples)
            sample = static_cast<std::uint8_t>(random());
        return encoded(raster, media::ImageType::Png);
    }

    static void requireUnavailable(const HttpResponse& response) {
        requireStatus(503, response);
        CPPUNIT_ASSERT(response.hasHeader("Retry-After"));
        CPPUNIT_ASSERT_EQUAL(json("SERVICE_UNAVAILABLE"), response.error()["code"]);
        CPPUNIT_ASSERT_MESSAGE(response.body, response.body.find("/media/") == std::string::npos);
    }

    /// Files are orphans only when they are old enough. The last report that found something.
    static json repairUntilInAgreement(MediaFixture& fixture) {
        json report = fixture.verify(true);
        waitUntil([&] {
            const auto rows = fixture.database().integer("SELECT COUNT(*) FROM product_images");
            if (static_cast<std::int64_t>(fixture.storedKeys().size()) == 2 * rows)
                return true;
            report = fixture.verify(true);
            return false;
        });
        fixture.requireAgreement();
        return report;
    }
};

TEST(StoreFailuresTest, aFullDiskLeavesNothingHalfDone) {
    const TemporaryDirectory folder("full");
    requireMounts();
    const SmallFileSystem disk(folder / "media", "4M");
    CPPUNIT_ASSERT(disk.isMounted());
    MediaFixture fixture({.root = folder / "media"});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string small = fixture.origin().serve(smallPicture());
    const std::string large = fixture.origin().serve(noise(700, 700)); // 1.4 MB
    supplier.add(product, {small});
    const json before = supplier.read(product);
    const auto keys = fixture.storedKeys();

    // Not all of these fit.
    requireUnavailable(supplier.postImages(product, {small + "?2", large, large + "?2", large + "?3", large + "?4"}));
    CPPUNIT_ASSERT(keys == fixture.storedKeys());
    disk.fill();
    requireUnavailable(supplier.postImages(product, {small + "?3"}));
    CPPUNIT_ASSERT_EQUAL(before, supplier.read(product));
    requireStatus(200, fixture.server().rootClient().get(before["images"][0]["url"]));
    disk.drain();
    CPPUNIT_ASSERT_EQUAL(json(1), supplier.add(product, {large})["added"]);
    fixture.requireAgreement();
}

TEST(StoreFailuresTest, withAReadOnlyRootImagesAreServedAndDeleted) {
    const TemporaryDirectory folder("read-only");
    requireMounts();
    const SmallFileSystem disk(folder / "media", "4M");
    CPPUNIT_ASSERT(disk.isMounted());
    MediaFixture fixture(
        {.settings = {{"request_deadline", "\"1s\""}, {"janitor.orphan_age", "\"2s\""}}, .root = folder / "media"});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture());
    const json images = supplier.add(product, {url, url + "?2"})["images"];
    disk.makeReadOnly(true);
    requireUnavailable(supplier.postImages(product, {url + "?3"}));
    CPPUNIT_ASSERT_EQUAL(images, supplier.images(product));
    requireStatus(200, fixture.server().rootClient().get(images[1]["url"]));
    requireStatus(200, supplier.removeImage(product, images[1]["id"]));
    fixture.requireWholeRows();
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, fixture.storedKeys().size());
    fixture.server().restart(); // it starts with such a root too
    supplier.reconnect();
    disk.makeReadOnly(false);
    CPPUNIT_ASSERT_EQUAL(json(1), supplier.add(product, {url + "?4"})["added"]);
    repairUntilInAgreement(fixture);
}

TEST(StoreFailuresTest, everyImageThatWasAcknowledgedIsThereAfterAPowerCut) {
    constexpr int ROUNDS = 10;
    const TemporaryDirectory folder("power-cut");
    requireMounts();
    FileSystemInFile disk(folder.path());
    if (!disk.mount()) {
        throw Skip("no right to mount a loop device");
    }
    MediaFixture fixture({.root = disk.root() / "media"});
    MediaClient supplier(fixture);
    const std::string url = fixture.origin().serve(smallPicture());
    for (int round = 0; round < ROUNDS; ++round) {
        const std::string query = "?" + std::to_string(round);
        supplier.add(supplier.createProduct(), {url + query, url + query + "b"});
        const auto after = disk.afterPowerCut();
        CPPUNIT_ASSERT(!after.empty());
        for (const auto& row : fixture.database().query("SELECT file_key, bytes FROM product_images UNION ALL "
                                                        "SELECT thumbnail_key, thumbnail_bytes FROM product_images")) {
            const std::string bytes = readWholeFile(after / "media" / *row[0]);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(*row[0], std::stoul(*row[1]), bytes.size());
            CPPUNIT_ASSERT_MESSAGE(*row[0], bytes == readWholeFile(fixture.root() / *row[0]));
        }
        disk.release();
    }
    fixture.requireAgreement();
    fixture.server().kill();
}

TEST(StoreFailuresTest, aServerKilledAmongUploadsLeavesNoImageWithoutItsFiles) {
    MediaFixture fixture({.settings = {{"request_deadline", "\"1s\""}, {"janitor.orphan_age", "\"2s\""}}});
    const std::string url = fixture.origin().serve(smallPicture());
    std::minstd_rand random(4); // NOLINT: the same rounds every time
    for (int round = 0; round < 5; ++round) {
        MediaClient supplier(fixture);
        std::vector<std::int64_t> products;
        for (int i = 0; i < 4; ++i)
            products.push_back(supplier.createProduct());
        std::atomic<int> responses = 0;
        std::vector<std::future<void>> uploads;
        for (const auto product : products)
            uploads.push_back(std::async(std::launch::async, [&, product] {
                HttpClient http = supplier.anotherClient();
                try {
                    for (int i = 0;; ++i) {
                        const std::string query = url + "?" + std::to_string(product) + "-" + std::to_string(i);
                        const auto images =
                            http.post(imagesPath(product), {{"image_url", joined({query, query + "b"})}})
                                .data()["images"];
                        for (std::size_t image = 0; image < images.size(); image += 2)
                            http.postEmpty(imagesPath(product) + "/" + images[image]["id"].dump() + "/delete");
                        ++responses;
                    }
                } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): the server is gone
                }
            }));
        const auto isOver = [&] { // a machine that is too busy refuses them
            return std::all_of(uploads.begin(), uploads.end(), [](const std::future<void>& upload) {
                return upload.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
            });
        };
        for (const int enough = 8 + static_cast<int>(random() % 8); responses < enough && !isOver();)
            std::this_thread::yield();
        CPPUNIT_ASSERT(responses > 0);
        fixture.server().kill();
        for (auto& upload : uploads)
            upload.get();
        fixture.requireWholeRows();
        fixture.server().start();
    }
    const json report = repairUntilInAgreement(fixture);
    CPPUNIT_ASSERT_EQUAL(json(0), report["broken_images"]);
    CPPUNIT_ASSERT_EQUAL(json(0), report["wrong_primaries"]);
    CPPUNIT_ASSERT_EQUAL(json(0), report["left_images"]);
}

TEST(StoreFailuresTest, theJanitorComesAgainWhenTheDatabaseWasAway) {
    PrivateMariaDb server;
    MediaFixture fixture({.settings = {{"request_deadline", "\"1s\""},
                                       {"janitor.orphan_age", "\"2s\""},
                                       {"janitor.interval", "\"200ms\""}},
                          .database = &server});
    server.stop();
    const auto orphan = addOrphan(fixture);
    waitUntil([&] { return fixture.server().log().find("looking for jobs failed") != std::string::npos; });
    CPPUNIT_ASSERT(std::filesystem::exists(orphan));
    server.start();
    waitUntil([&] { return !std::filesystem::exists(orphan); });
    waitUntil([&] { return fixture.server().metric("supplierd_media_orphans_removed_total") == 1; });
}

TEST(StoreFailuresTest, operatorHasTheJanitorRun) {
    MediaFixture fixture({.settings = {{"request_deadline", "\"1s\""}, {"janitor.orphan_age", "\"2s\""}}});
    const auto jobs = [&](const std::vector<std::string>& words) { return controlJson(fixture.server(), words); };
    fixture.waitForJanitor();
    const json listed = jobs({"job", "list"})["jobs"];
    CPPUNIT_ASSERT(std::any_of(listed.begin(), listed.end(), [](const json& job) { return job["name"] == "janitor"; }));
    const auto orphan = addOrphan(fixture);
    const json job = jobs({"job", "run", "media", "janitor"})["job"];
    CPPUNIT_ASSERT(!std::filesystem::exists(orphan));
    CPPUNIT_ASSERT_EQUAL(json("removed 1 files without an image and 0 images of deleted products"), job["message"]);
    CPPUNIT_ASSERT_EQUAL(json(3'600'000), job["every_ms"]);
    CPPUNIT_ASSERT_EQUAL(2.0, fixture.server().metric(
                                  "supplierd_job_runs_total{job_name=\"janitor\",plugin=\"media\",result=\"done\"}"));
}

} // namespace supplierd::tests
