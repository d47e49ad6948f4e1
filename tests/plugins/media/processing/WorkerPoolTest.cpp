#include "WorkerPool.h"

#include "shared/Refusal.h"
#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace supplierd::tests {

using media::ImageRefusal;
using media::ImageType;
using media::ProcessedImage;
using media::Refusal;
using media::WorkerPool;
using media::WorkerPoolSettings;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t MEGABYTE = std::size_t{1024} * 1024;

WorkerPoolSettings settingsOf(unsigned workers) {
    WorkerPoolSettings settings;
    settings.program = SUPPLIERD_IMAGEWORKER;
    settings.workers = workers;
    settings.imageLimit = 30s; // the machine may be slow; tests of the limit set their own
    return settings;
}

WorkerPool::Deadline soon() {
    return std::chrono::steady_clock::now() + 60s;
}

Refusal refusalOf(const media::ImageResult& result) {
    CPPUNIT_ASSERT(std::holds_alternative<ImageRefusal>(result));
    return std::get<ImageRefusal>(result).reason;
}

std::size_t residentBytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    statm >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t openDescriptors() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

/// In its sandbox, and asleep until a job comes: it has said hello.
void waitUntilReady(pid_t process) {
    for (;;) {
        std::ifstream status("/proc/" + std::to_string(process) + "/status");
        const std::string text{std::istreambuf_iterator<char>(status), {}};
        CPPUNIT_ASSERT_MESSAGE("the worker has ended", !text.empty());
        if (text.find("Seccomp:\t2\n") != std::string::npos && text.find("State:\tS") != std::string::npos)
            return;
        std::this_thread::sleep_for(1ms);
    }
}

void killIdle(pid_t process) {
    ::kill(process, SIGKILL);
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT); // the pool still has to collect it
}

bool isGone(pid_t process) {
    return ::kill(process, 0) != 0;
}

} // namespace

class WorkerPoolTest : public CppUnit::TestFixture {
protected:
    const std::string _jpeg = encoded(gradient(640, 480), ImageType::Jpeg);
    const TemporaryDirectory _directory{"workers"};

    /// A program that behaves like this.
    std::filesystem::path badWorker(const std::string& manner) const {
        const auto program = _directory / manner;
        if (!std::filesystem::exists(program))
            std::filesystem::create_symlink(SUPPLIERD_BAD_WORKER, program);
        return program;
    }

    WorkerPoolSettings badSettings(const std::string& manner) const {
        auto settings = settingsOf(1);
        settings.program = badWorker(manner);
        return settings;
    }

    /// Until a worker that hangs has read its job, which it shows by a file.
    void awaitJobIn(const std::string& manner) const {
        while (!std::filesystem::exists(_directory / (manner + ".working")))
            std::this_thread::sleep_for(1ms);
    }
};

TEST(WorkerPoolTest, imageComesBackCleanWithItsThumbnail) {
    WorkerPool pool(settingsOf(1));
    const auto result = pool.process(_jpeg + "tail", soon());
    const auto& image = std::get<ProcessedImage>(result);
    CPPUNIT_ASSERT(image.type == ImageType::Jpeg);
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{640}, image.width);
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{480}, image.height);
    CPPUNIT_ASSERT(image.original == _jpeg);
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{400}, decoded(image.thumbnail).width);
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{300}, image.thumbnailHeight);
}

TEST(WorkerPoolTest, refusalsHaveTheCodesOfTheApi) {
    WorkerPool pool(settingsOf(1));
    const auto truncated = std::get<ImageRefusal>(pool.process(_jpeg.substr(0, 5000), soon()));
    CPPUNIT_ASSERT(truncated.code() == "damaged");
    CPPUNIT_ASSERT(truncated.text() == "image is truncated");
    CPPUNIT_ASSERT(std::get<ImageRefusal>(pool.process(blackPng(9000, 9000), soon())).code() == "dimensions");
    CPPUNIT_ASSERT(std::get<ImageRefusal>(pool.process("<html>", soon())).code() == "type");
    CPPUNIT_ASSERT(
        std::get<ImageRefusal>(pool.process(withPngChunk(blackPng(8, 8), "acTL", "12345678"), soon())).code() ==
        "animated");
    CPPUNIT_ASSERT(std::get<ImageRefusal>(pool.process(paddedJpeg(_jpeg, media::MAX_IMAGE_BYTES + 1), soon())).code() ==
                   "too_large");
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, pool.counts().lost);
}

TEST(WorkerPoolTest, tooLargeAndUnknownFilesNeedNoWorker) {
    WorkerPool pool(settingsOf(1));
    pool.stop();
    CPPUNIT_ASSERT(refusalOf(pool.process("<html>", soon())) == Refusal::UnknownType);
    CPPUNIT_ASSERT(refusalOf(pool.process(std::string(media::MAX_IMAGE_BYTES + 1, 'x'), soon())) == Refusal::TooLarge);
}

TEST(WorkerPoolTest, workerHasNothingButItsChannel) {
    const std::ifstream inheritable("/etc/passwd");
    WorkerPool pool(settingsOf(2));
    for (const auto process : pool.processIds()) {
        const auto folder = "/proc/" + std::to_string(process);
        std::ifstream status(folder + "/status");
        const std::string text{std::istreambuf_iterator<char>(status), {}};
        CPPUNIT_ASSERT(text.find("Seccomp:\t2\n") != std::string::npos);
        CPPUNIT_ASSERT(text.find("NoNewPrivs:\t1\n") != std::string::npos);
        CPPUNIT_ASSERT(text.find("Threads:\t1\n") != std::string::npos);
        std::ifstream environment(folder + "/environ");
        CPPUNIT_ASSERT_EQUAL(std::char_traits<char>::eof(), environment.get());
        for (const auto& descriptor : std::filesystem::directory_iterator(folder + "/fd"))
            CPPUNIT_ASSERT_EQUAL(std::string("0"), descriptor.path().filename().string());
    }
}

TEST(WorkerPoolTest, idleWorkerKilledCostsNoImage) {
    WorkerPool pool(settingsOf(1));
    const auto process = pool.processIds().at(0);
    killIdle(process);
    CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(pool.process(_jpeg, soon())));
    CPPUNIT_ASSERT(pool.processIds().at(0) != process);
}

TEST(WorkerPoolTest, replacementKilledBeforeItsFirstImageCostsNone) {
    auto settings = settingsOf(1);
    settings.imagesPerWorker = 1;
    WorkerPool pool(settings);
    for (int i = 0; i < 3; ++i) {
        CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(pool.process(_jpeg, soon())));
        const auto replacement = pool.processIds().at(0);
        waitUntilReady(replacement);
        killIdle(replacement);
    }
    CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(pool.process(_jpeg, soon())));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, pool.counts().lost);
}

TEST(WorkerPoolTest, stoppedWorkerCostsItsImageAndIsReplaced) {
    auto settings = settingsOf(1);
    settings.imageLimit = 200ms;
    const auto process = [&] {
        WorkerPool pool(settings);
        const auto stopped = pool.processIds().at(0);
        stopProcess(stopped);
        const auto result = pool.process(_jpeg, soon());
        CPPUNIT_ASSERT(refusalOf(result) == Refusal::TooSlow);
        CPPUNIT_ASSERT(std::get<ImageRefusal>(result).code() == "timeout");
        CPPUNIT_ASSERT(pool.processIds().at(0) != stopped);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, pool.counts().lost);
        return stopped;
    }();
    CPPUNIT_ASSERT(isGone(process));
}

TEST(WorkerPoolTest, killedWorkerCostsItsImageAndIsReplaced) {
    WorkerPool pool(badSettings("hang"));
    media::ImageResult result = ImageRefusal{};
    std::thread caller([&] { result = pool.process(_jpeg, soon()); });
    awaitJobIn("hang");
    const auto process = pool.processIds().at(0);
    ::kill(process, SIGKILL);
    caller.join();
    CPPUNIT_ASSERT(refusalOf(result) == Refusal::Undecodable);
    CPPUNIT_ASSERT(pool.processIds().at(0) != process);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, pool.counts().lost);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, pool.counts().started);
}

TEST(WorkerPoolTest, nonsenseCostsTheImageAndTheWorker) {
    for (const auto* const manner : {"babble", "gigabytes", "large-thumbnail", "no-dimensions", "unknown-type",
                                     "unknown-refusal", "other-type", "html", "die"}) {
        WorkerPool pool(badSettings(manner));
        for (const std::uint64_t lost : {1U, 2U}) {
            CPPUNIT_ASSERT_MESSAGE(manner, refusalOf(pool.process(_jpeg, soon())) == Refusal::Undecodable);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(manner, lost, pool.counts().lost);
        }
    }
    for (const auto* const manner : {"hang", "half"}) {
        auto settings = badSettings(manner);
        settings.imageLimit = 200ms;
        WorkerPool pool(settings);
        CPPUNIT_ASSERT_MESSAGE(manner, refusalOf(pool.process(_jpeg, soon())) == Refusal::TooSlow);
    }
}

TEST(WorkerPoolTest, extraBytesAreNotTakenForTheNextAnswer) {
    WorkerPool pool(badSettings("extra"));
    const auto first = pool.processIds().at(0);
    CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(pool.process(_jpeg, soon())));
    CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(pool.process(_jpeg, soon())));
    CPPUNIT_ASSERT(pool.processIds().at(0) != first);
}

TEST(WorkerPoolTest, workersThatDoNotGetReadyAreReportedAtOnce) {
    auto missing = settingsOf(1);
    missing.program = "/no/such/worker";
    CPPUNIT_ASSERT_THROW(WorkerPool{missing}, media::ImageProcessingUnavailable);
    for (const auto* const manner : {"die-at-start", "babble-at-start", "hang-at-start"}) {
        auto settings = badSettings(manner);
        settings.startLimit = 300ms;
        CPPUNIT_ASSERT_THROW_MESSAGE(manner, WorkerPool{settings}, media::ImageProcessingUnavailable);
    }
}

TEST(WorkerPoolTest, workersAreRecycled) {
    auto settings = settingsOf(1);
    settings.imagesPerWorker = 3;
    WorkerPool byNumber(settings);
    for (int i = 0; i < 7; ++i)
        CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(byNumber.process(_jpeg, soon())));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, byNumber.counts().recycled);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, byNumber.counts().lost);
    settings.imagesPerWorker = 1000;
    settings.residentBytesPerWorker = 1;
    WorkerPool byMemory(settings);
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(byMemory.process(_jpeg, soon())));
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{3}, byMemory.counts().recycled);
}

TEST(WorkerPoolTest, callerWaitsUntilItsDeadlineOnly) {
    WorkerPool pool(badSettings("hang"));
    std::thread busy([&] { CPPUNIT_ASSERT_THROW(pool.process(_jpeg, soon()), media::ImageProcessingUnavailable); });
    awaitJobIn("hang");
    CPPUNIT_ASSERT_THROW(pool.process(_jpeg, std::chrono::steady_clock::now() + 50ms),
                         media::ImageProcessingUnavailable);
    pool.stop();
    busy.join();
}

TEST(WorkerPoolTest, manyThreadsGetTheirOwnImagesBack) {
    WorkerPool pool(settingsOf(2));
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 16; ++i)
        threads.emplace_back([&, i] {
            for (std::uint32_t turn = 0; turn < 10; ++turn) {
                const std::uint32_t width = 401 + i * 10 + turn;
                const auto result = pool.process(blackPng(width, 100), soon());
                const auto* const image = std::get_if<ProcessedImage>(&result);
                right += image != nullptr && image->width == width ? 1 : 0;
            }
        });
    for (auto& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(160, right.load());
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{160}, pool.counts().accepted);
}

TEST(WorkerPoolTest, stopEndsWhatIsUnderWay) {
    WorkerPool pool(badSettings("hang"));
    std::atomic<int> ended = 0;
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i) // one works, two wait
        callers.emplace_back([&] {
            try {
                pool.process(_jpeg, soon());
            } catch (const media::ImageProcessingUnavailable&) {
                ++ended;
            }
        });
    awaitJobIn("hang");
    pool.stop();
    for (auto& caller : callers)
        caller.join();
    CPPUNIT_ASSERT_EQUAL(3, ended.load());
    CPPUNIT_ASSERT_THROW(pool.process(_jpeg, soon()), media::ImageProcessingUnavailable);
}

TEST(WorkerPoolTest, nothingIsLeftBehind) {
    const auto before = openDescriptors();
    std::vector<pid_t> processes;
    {
        auto settings = settingsOf(2);
        settings.imagesPerWorker = 1;
        WorkerPool pool(settings);
        for (int i = 0; i < 4; ++i) {
            const auto present = pool.processIds();
            processes.insert(processes.end(), present.begin(), present.end());
            pool.process(_jpeg, soon());
        }
    }
    CPPUNIT_ASSERT_EQUAL(before, openDescriptors());
    for (const auto process : processes)
        CPPUNIT_ASSERT(isGone(process));
}

TEST(WorkerPoolTest, serverDoesNotGrowOverAThousandImages) {
#ifdef __SANITIZE_ADDRESS__
    return; // it keeps what was freed, to find who still uses it
#endif
    WorkerPool pool(settingsOf(2));
    const auto image = paddedJpeg(encoded(gradient(64, 48), ImageType::Jpeg), MEGABYTE);
    const auto handle = [&](int times) {
        for (int i = 0; i < times; ++i)
            CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(pool.process(image, soon())));
    };
    handle(20);
    const auto before = residentBytes();
    handle(1000);
    CPPUNIT_ASSERT(residentBytes() < before + 10 * MEGABYTE);
}

} // namespace supplierd::tests
