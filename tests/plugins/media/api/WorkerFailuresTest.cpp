#include "MediaFixture.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace supplierd::tests {

/// Image workers that die, hang, or are not there, below a running server.
class WorkerFailuresTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* LOST = R"(supplierd_media_worker_restarts_total{reason="lost"})";

    static std::vector<pid_t> workersOf(MediaFixture& fixture) {
        std::vector<pid_t> pids;
        const std::string server = std::to_string(fixture.server().pid());
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

TEST(WorkerFailuresTest, killedWorkersAreReplacedBeforeTheNextImage) {
    MediaFixture fixture;
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture());
    for (int round = 0; round < 3; ++round) {
        for (const pid_t worker : workersOf(fixture))
            kill(worker);
        CPPUNIT_ASSERT_EQUAL(json(2), supplier.add(product, {url, url + "?2"})["added"]);
    }
    fixture.requireAgreement();
}

TEST(WorkerFailuresTest, aStoppedWorkerCostsOneImageAndIsReplaced) {
    MediaFixture fixture({.settings = {{"workers", "1"}}});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture());
    stopProcess(workersOf(fixture).front());
    CPPUNIT_ASSERT_EQUAL(json("timeout"), supplier.refusal(product, url)["code"]);
    CPPUNIT_ASSERT_EQUAL(json(1), supplier.add(product, {url})["added"]);
    CPPUNIT_ASSERT_EQUAL(1.0, fixture.server().metric(LOST));
    fixture.requireAgreement();
}

TEST(WorkerFailuresTest, aWorkerThatDiesOfAnImageCostsThatImage) {
    const TemporaryDirectory folder("worker");
    std::filesystem::create_symlink(SUPPLIERD_BAD_WORKER, folder / "die");
    MediaFixture fixture({.settings = {{"worker", "\"" + (folder / "die").string() + "\""}, {"workers", "1"}}});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture());
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT_EQUAL(json("damaged"), supplier.refusal(product, url)["code"]);
    CPPUNIT_ASSERT_EQUAL(3.0, fixture.server().metric(LOST));
    fixture.requireAgreement();
}

TEST(WorkerFailuresTest, withoutTheirProgramImagesAreUnavailable) {
    const TemporaryDirectory folder("worker");
    const auto program = folder / "supplierd-imageworker";
    std::filesystem::copy_file(SUPPLIERD_IMAGEWORKER, program);
    MediaFixture fixture({.settings = {{"worker", "\"" + program.string() + "\""}, {"workers", "1"}}});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    const std::string url = fixture.origin().serve(smallPicture());
    const std::string picture = supplier.add(product, {url})["images"][0]["url"];
    std::filesystem::rename(program, folder / "away");
    kill(workersOf(fixture).front());
    for (int i = 0; i < 2; ++i) {
        const HttpResponse response = supplier.postImages(product, {url, url + "?2"});
        requireStatus(503, response);
        CPPUNIT_ASSERT(response.hasHeader("Retry-After"));
    }
    requireStatus(200, fixture.server().rootClient().get(picture));
    std::filesystem::rename(folder / "away", program);
    CPPUNIT_ASSERT_EQUAL(json(1), supplier.add(product, {url})["added"]);
    fixture.requireAgreement();
}

TEST(WorkerFailuresTest, theServerDoesNotStartWithoutWorkers) {
    const TemporaryDirectory folder("worker");
    std::filesystem::create_symlink(SUPPLIERD_BAD_WORKER, folder / "die-at-start");
    const std::string text =
        thrownBy<std::runtime_error>([&] {
            const MediaFixture fixture({.settings = {{"worker", "\"" + (folder / "die-at-start").string() + "\""}}});
        }).what();
    requireIn("plugin 'media' failed to become ready", text);
    requireIn("image worker", text);
}

TEST(WorkerFailuresTest, workersEndWithTheServer) {
    MediaFixture fixture;
    for (const bool isKilled : {false, true}) {
        const auto workers = workersOf(fixture);
        if (isKilled)
            fixture.server().kill();
        else
            CPPUNIT_ASSERT_EQUAL(0, fixture.server().stop());
        for (const pid_t worker : workers)
            requireGone(worker);
        fixture.server().start();
    }
}

} // namespace supplierd::tests
