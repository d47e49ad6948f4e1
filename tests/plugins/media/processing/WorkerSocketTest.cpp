#include "WorkerPool.h"
#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using media::ImageRefusal;
using media::ImageType;
using media::ProcessedImage;
using media::Refusal;
using media::WorkerPool;
using media::WorkerPoolSettings;
using namespace std::chrono_literals;

/// What supplierd-imageworker.socket is to the server: a Unix socket, and a program for every connection, which is its
/// standard input.
class WorkersBehindSocket {
public:
    explicit WorkersBehindSocket(std::string program)
        : _program(std::move(program)), _socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
        CPPUNIT_ASSERT_EQUAL(0, ::bind(_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
        CPPUNIT_ASSERT_EQUAL(0, ::listen(_socket, 16));
        _thread = std::thread([this] { acceptAll(); });
    }
    ~WorkersBehindSocket() {
        ::shutdown(_socket, SHUT_RDWR); // accept() fails
        _thread.join();
        ::close(_socket);
        for (const pid_t worker : _workers) {
            ::kill(worker, SIGKILL);
            ::waitpid(worker, nullptr, 0);
        }
    }
    WorkersBehindSocket(const WorkersBehindSocket&) = delete;
    WorkersBehindSocket& operator=(const WorkersBehindSocket&) = delete;

    std::filesystem::path path() const { return _directory / "socket"; }
    std::size_t started() {
        const std::lock_guard lock(_mutex);
        return _workers.size();
    }
    /// Waits for the end of the oldest; its exit code, or minus the signal.
    int endOfOldest() {
        int status = 0;
        ::waitpid(oldest(), &status, 0);
        const std::lock_guard lock(_mutex);
        _workers.erase(_workers.begin());
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    pid_t oldest() {
        const std::lock_guard lock(_mutex);
        return _workers.front();
    }

private:
    void acceptAll() {
        for (int connection = -1; (connection = ::accept4(_socket, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
            start(connection);
            ::close(connection);
        }
    }

    void start(int connection) {
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO);
        std::array<char*, 2> arguments{_program.data(), nullptr};
        std::array<char*, 1> environment{nullptr};
        pid_t worker = -1;
        const int error =
            ::posix_spawn(&worker, _program.c_str(), &actions, nullptr, arguments.data(), environment.data());
        ::posix_spawn_file_actions_destroy(&actions);
        const std::lock_guard lock(_mutex);
        if (error == 0)
            _workers.push_back(worker);
    }

    const TemporaryDirectory _directory{"workers"};
    std::string _program;
    int _socket;
    std::mutex _mutex;
    std::vector<pid_t> _workers;
    std::thread _thread;
};

class WorkerSocketTest : public CppUnit::TestFixture {
protected:
    const std::string _jpeg = encoded(gradient(640, 480), ImageType::Jpeg);
    const TemporaryDirectory _directory{"bad-workers"};

    std::string badWorker(const std::string& manner) const {
        const auto program = _directory / manner;
        std::filesystem::create_symlink(SUPPLIERD_BAD_WORKER, program);
        return program;
    }

    static WorkerPoolSettings behind(const WorkersBehindSocket& workers, unsigned number = 1) {
        WorkerPoolSettings settings;
        settings.socket = workers.path();
        settings.workers = number;
        settings.imageLimit = 30s;
        return settings;
    }

    static WorkerPool::Deadline soon() { return std::chrono::steady_clock::now() + 60s; }

    void requireGood(WorkerPool& pool) const {
        const auto result = pool.process(_jpeg, soon());
        CPPUNIT_ASSERT(std::holds_alternative<ProcessedImage>(result));
        CPPUNIT_ASSERT(std::get<ProcessedImage>(result).original == _jpeg);
    }
};

TEST(WorkerSocketTest, imageComesBackCleanWithItsThumbnail) {
    WorkersBehindSocket workers(SUPPLIERD_IMAGEWORKER);
    WorkerPool pool(behind(workers, 2));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, workers.started());
    requireGood(pool);
    CPPUNIT_ASSERT(pool.processIds().empty());
}

TEST(WorkerSocketTest, workersEndWithTheirConnections) {
    WorkersBehindSocket workers(SUPPLIERD_IMAGEWORKER);
    {
        WorkerPool pool(behind(workers));
        requireGood(pool);
    }
    CPPUNIT_ASSERT_EQUAL(0, workers.endOfOldest());
}

TEST(WorkerSocketTest, idleWorkerKilledCostsNoImage) {
    WorkersBehindSocket workers(SUPPLIERD_IMAGEWORKER);
    WorkerPool pool(behind(workers));
    ::kill(workers.oldest(), SIGKILL);
    CPPUNIT_ASSERT_EQUAL(-SIGKILL, workers.endOfOldest());
    requireGood(pool);
}

TEST(WorkerSocketTest, workerThatHangsCostsItsImageAndIsReplaced) {
    WorkersBehindSocket workers(badWorker("hang"));
    auto settings = behind(workers);
    settings.imageLimit = 200ms;
    WorkerPool pool(settings);
    const auto result = pool.process(_jpeg, soon());
    CPPUNIT_ASSERT(std::get<ImageRefusal>(result).reason == Refusal::TooSlow);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, pool.counts().lost);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, pool.counts().started);
}

TEST(WorkerSocketTest, workersAreRecycled) {
    WorkersBehindSocket workers(SUPPLIERD_IMAGEWORKER);
    auto settings = behind(workers);
    settings.imagesPerWorker = 2;
    WorkerPool pool(settings);
    for (int i = 0; i < 5; ++i)
        requireGood(pool);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, pool.counts().recycled);
}

TEST(WorkerSocketTest, stopEndsWhatIsUnderWay) {
    WorkersBehindSocket workers(badWorker("hang"));
    WorkerPool pool(behind(workers));
    std::thread stopper([&] {
        while (!std::filesystem::exists(_directory / "hang.working")) // it has a job
            std::this_thread::sleep_for(5ms);
        pool.stop();
    });
    CPPUNIT_ASSERT_THROW(pool.process(_jpeg, soon()), media::ImageProcessingUnavailable);
    stopper.join();
}

TEST(WorkerSocketTest, missingSocketIsReported) {
    WorkerPoolSettings settings;
    settings.socket = _directory / "nobody";
    const std::string message =
        thrownBy<media::ImageProcessingUnavailable>([&] { const WorkerPool pool(settings); }).what();
    requireIn("cannot connect to " + settings.socket.string(), message);
}

} // namespace supplierd::tests
