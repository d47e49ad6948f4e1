#include "MediaFixture.h"
#include "tests/support/Test.h"

#include <atomic>
#include <future>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

template <class Work>
auto atOnce(int count, const Work& work) {
    using Result = std::invoke_result_t<const Work&, int>;
    std::vector<std::future<Result>> running;
    for (int i = 0; i < count; ++i)
        running.push_back(std::async(std::launch::async, [&work, i] { return work(i); }));
    std::vector<Result> results;
    for (auto& one : running)
        results.push_back(one.get());
    return results;
}

} // namespace

/// Requests for one product's images at the same time.
class ImageRacesTest : public CppUnit::TestFixture {};

TEST(ImageRacesTest, neverMoreThanTenImagesAndOnePrimary) {
    constexpr int UPLOADS = 10;
    MediaFixture& fixture = mediaFixture();
    MediaClient supplier(fixture);
    const std::string url = fixture.origin().serve(smallPicture());
    for (int round = 0; round < 10; ++round) {
        const auto product = supplier.createProduct();
        // Three images each: three of the ten uploads fit, whichever they are.
        const auto responses = atOnce(UPLOADS, [&](int upload) {
            HttpClient http = supplier.anotherClient();
            const std::string base = url + "?" + std::to_string(upload);
            return http.post(imagesPath(product), {{"image_url", joined({base + "a", base + "b", base + "c"})}});
        });
        int added = 0;
        for (const HttpResponse& response : responses) {
            CPPUNIT_ASSERT_MESSAGE(response.body, response.status == 201 || response.status == 422);
            if (response.status == 201)
                ++added;
            else
                CPPUNIT_ASSERT_EQUAL(json("too_many"), response.error()["details"][0]["code"]);
        }
        CPPUNIT_ASSERT_EQUAL(3, added);
        CPPUNIT_ASSERT_EQUAL(std::size_t{9}, supplier.images(product).size());
        fixture.requireAgreement();
    }
}

TEST(ImageRacesTest, addingDeletingAndChoosingAtOnceLeavesAWholeProduct) {
    MediaFixture& fixture = mediaFixture();
    MediaClient supplier(fixture);
    const std::string url = fixture.origin().serve(smallPicture());
    const auto product = supplier.createProduct();
    atOnce(8, [&](int thread) {
        HttpClient http = supplier.anotherClient();
        std::minstd_rand random(static_cast<unsigned>(thread) + 1);
        for (int i = 0; i < 30; ++i) {
            const json images = http.get(imagesPath(product)).data()["images"];
            HttpResponse response;
            if (images.empty() || random() % 3 == 0) {
                response = http.post(imagesPath(product),
                                     {{"image_url", url + "?" + std::to_string(thread) + "-" + std::to_string(i)}});
            } else {
                const json& image = images[random() % images.size()];
                response = http.postEmpty(imagesPath(product) + "/" + image["id"].dump() +
                                          (random() % 2 == 0 ? "/delete" : "/primary"));
            }
            CPPUNIT_ASSERT_MESSAGE(response.body, response.status < 500);
        }
        return 0;
    });
    fixture.requireAgreement();
}

TEST(ImageRacesTest, aProductDeletedAmongUploadsKeepsNoImages) {
    MediaFixture& fixture = mediaFixture();
    MediaClient supplier(fixture);
    const std::string url = fixture.origin().serve(smallPicture());
    for (int round = 0; round < 10; ++round) {
        const auto product = supplier.createProduct();
        atOnce(4, [&](int thread) {
            HttpClient http = supplier.anotherClient();
            const HttpResponse response =
                thread == 0 ? http.postEmpty("/products/" + std::to_string(product) + "/delete")
                            : http.post(imagesPath(product), {{"image_url", url + "?" + std::to_string(thread)}});
            CPPUNIT_ASSERT_MESSAGE(response.body,
                                   response.status == 200 || response.status == 201 || response.status == 404);
            return 0;
        });
        fixture.requireAgreement();
    }
}

/// Some of a request's files lie there nearly as long as a file may, before their rows are written.
TEST(ImageRacesTest, theJanitorNeverTakesAFileOfAnImage) {
    constexpr int THREADS = 5;
    constexpr int ADDS = 100;
    MediaFixture fixture({.settings = {{"request_deadline", "\"1s\""},
                                       {"fetch.timeout", "\"900ms\""},
                                       {"janitor.interval", "\"100ms\""},
                                       {"janitor.orphan_age", "\"2s\""}}});
    const std::string fast = fixture.origin().serve(smallPicture());
    const std::string slow = fixture.origin().script([](OriginConnection& connection) {
        connection.pause(std::chrono::milliseconds(700));
        connection.answer("200 OK", smallPicture());
    });
    MediaClient supplier(fixture);
    std::atomic<int> added = 0;
    atOnce(THREADS, [&](int thread) {
        HttpClient http = supplier.anotherClient();
        std::int64_t product = 0;
        for (int i = 0; i < ADDS; ++i) {
            if (i % 5 == 0)
                product = http.post("/products", {{"name", "Rosa"},
                                                  {"category_id", fixture.category()},
                                                  {"base_price", 1},
                                                  {"unit", "stem"}})
                              .data()["product"]["id"];
            std::string urls = fast + "?" + std::to_string(thread) + "-" + std::to_string(i);
            if (i % 10 == 9)
                urls += ";" + slow + "?" + std::to_string(thread) + "-" + std::to_string(i);
            const HttpResponse response = http.post(imagesPath(product), {{"image_url", urls}});
            CPPUNIT_ASSERT_MESSAGE(response.body, response.status == 201 || response.status == 503);
            if (response.status == 201)
                ++added;
        }
        return 0;
    });
    CPPUNIT_ASSERT(added > THREADS * ADDS / 2);
    // Files that nobody has, the janitor takes.
    const std::string orphan = "ab/cd/abcd0000000000000000000000000000.jpg";
    std::filesystem::create_directories(fixture.root() / "ab/cd");
    writeWholeFile(fixture.root() / orphan, "orphan");
    std::filesystem::last_write_time(fixture.root() / orphan,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::filesystem::exists(fixture.root() / orphan)) {
        CPPUNIT_ASSERT_MESSAGE("the janitor does not work", std::chrono::steady_clock::now() < end);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    fixture.requireWholeRows();
}

} // namespace supplierd::tests
