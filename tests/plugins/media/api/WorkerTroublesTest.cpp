#include "MediaWorld.h"

#include <cppunit/extensions/HelperMacros.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace supplierd::tests {

using nlohmann::json;

/// Image workers that die, hang, or are not there, below a running server.
class WorkerTroublesTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(WorkerTroublesTest);
    CPPUNIT_TEST(testKilledWorkersAreReplacedBeforeTheNextImage);
    CPPUNIT_TEST(testAStoppedWorkerCostsOneImageAndIsReplaced);
    CPPUNIT_TEST(testAWorkerThatDiesOfAnImageCostsThatImage);
    CPPUNIT_TEST(testWithoutTheirProgramImagesAreUnavailable);
    CPPUNIT_TEST(testTheServerDoesNotStartWithoutWorkers);
    CPPUNIT_TEST(testWorkersEndWithTheServer);
    CPPUNIT_TEST_SUITE_END();

    static constexpr const char* LOST = R"(supplierd_media_worker_restarts_total{reason="lost"})";

    static std::vector<pid_t> workersOf(MediaWorld& world) {
        std::vector<pid_t> pids;
        const std::string server = std::to_string(world.server().pid());
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            std::ifstream stat(entry.path() / "stat");
            std::string text;
            if (!std::getline(stat, text))
                continue;
            std::istringstream fields(text.substr(text.rfind(')') + 2));
            std::string state;
            std::string parent;
            if (fields >> state >> parent && parent == server)
                pids.push_back(std::stoi(entry.path().filename()));
        }
        CPPUNIT_ASSERT(!pids.empty());
        return pids;
    }

    void testKilledWorkersAreReplacedBeforeTheNextImage() {
        MediaWorld world;
        Seller seller(world);
        const auto product = seller.createProduct();
        const std::string url = world.origin().serve(smallPicture());
        for (int round = 0; round < 3; ++round) {
            for (const pid_t worker : workersOf(world))
                kill(worker);
            CPPUNIT_ASSERT_EQUAL(json(2), seller.add(product, {url, url + "?2"})["added"]);
        }
        world.requireAgreement();
    }

    void testAStoppedWorkerCostsOneImageAndIsReplaced() {
        MediaWorld world({.settings = {{"workers", "1"}}});
        Seller seller(world);
        const auto product = seller.createProduct();
        const std::string url = world.origin().serve(smallPicture());
        stopProcess(workersOf(world).front());
        CPPUNIT_ASSERT_EQUAL(json("timeout"), seller.refusal(product, url)["code"]);
        CPPUNIT_ASSERT_EQUAL(json(1), seller.add(product, {url})["added"]);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, world.metric(LOST));
        world.requireAgreement();
    }

    void testAWorkerThatDiesOfAnImageCostsThatImage() {
        const TemporaryDirectory folder("worker");
        std::filesystem::create_symlink(SUPPLIERD_BAD_WORKER, folder / "die");
        MediaWorld world({.settings = {{"worker", "\"" + (folder / "die").string() + "\""}, {"workers", "1"}}});
        Seller seller(world);
        const auto product = seller.createProduct();
        const std::string url = world.origin().serve(smallPicture());
        for (int i = 0; i < 3; ++i)
            CPPUNIT_ASSERT_EQUAL(json("damaged"), seller.refusal(product, url)["code"]);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, world.metric(LOST));
        world.requireAgreement();
    }

    void testWithoutTheirProgramImagesAreUnavailable() {
        const TemporaryDirectory folder("worker");
        const auto program = folder / "supplierd-imageworker";
        std::filesystem::copy_file(SUPPLIERD_IMAGEWORKER, program);
        MediaWorld world({.settings = {{"worker", "\"" + program.string() + "\""}, {"workers", "1"}}});
        Seller seller(world);
        const auto product = seller.createProduct();
        const std::string url = world.origin().serve(smallPicture());
        const std::string picture = seller.add(product, {url})["images"][0]["url"];
        std::filesystem::rename(program, folder / "away");
        kill(workersOf(world).front());
        for (int i = 0; i < 2; ++i) {
            const HttpResponse response = seller.post(product, {url, url + "?2"});
            CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 503, response.status);
            CPPUNIT_ASSERT(response.hasHeader("Retry-After"));
        }
        CPPUNIT_ASSERT_EQUAL(200, world.files().get(picture).status);
        std::filesystem::rename(folder / "away", program);
        CPPUNIT_ASSERT_EQUAL(json(1), seller.add(product, {url})["added"]);
        world.requireAgreement();
    }

    void testTheServerDoesNotStartWithoutWorkers() {
        const TemporaryDirectory folder("worker");
        std::filesystem::create_symlink(SUPPLIERD_BAD_WORKER, folder / "die-at-start");
        try {
            const MediaWorld world({.settings = {{"worker", "\"" + (folder / "die-at-start").string() + "\""}}});
            CPPUNIT_FAIL("it started");
        } catch (const std::runtime_error& failure) {
            const std::string text = failure.what();
            CPPUNIT_ASSERT_MESSAGE(text, text.find("plugin 'media' failed to become ready") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(text, text.find("image worker") != std::string::npos);
        }
    }

    void testWorkersEndWithTheServer() {
        MediaWorld world;
        for (const bool isKilled : {false, true}) {
            const auto workers = workersOf(world);
            if (isKilled)
                world.server().kill();
            else
                CPPUNIT_ASSERT_EQUAL(0, world.server().stop());
            for (const pid_t worker : workers)
                requireGone(worker);
            world.server().start();
        }
    }

    static void kill(pid_t process) {
        ::kill(process, SIGKILL);
        requireGone(process); // a worker that dies with an image in its hands takes that one along
    }

    static void requireGone(pid_t process) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        const auto isThere = [&] {
            std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
            std::string text;
            return std::getline(stat, text) && text.find(") Z ") == std::string::npos &&
                   text.find("(supplierd-image") != std::string::npos;
        };
        while (isThere()) {
            CPPUNIT_ASSERT_MESSAGE("a worker outlives the server", std::chrono::steady_clock::now() < end);
            ::usleep(10'000);
        }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(WorkerTroublesTest);

} // namespace supplierd::tests
