#include "host/observe/LogWriter.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <Poco/Exception.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using host::LogFailure;
using host::LogWriter;

namespace {

/// What a writer tells of itself.
class Failures {
public:
    explicit Failures(LogWriter& writer) : _writer(writer) {
        _writer.onFailure([this](const LogFailure& failure) {
            const std::lock_guard lock(_mutex);
            _all.push_back(failure);
        });
    }
    ~Failures() { _writer.onFailure({}); }
    Failures(const Failures&) = delete;
    Failures& operator=(const Failures&) = delete;

    std::vector<LogFailure> all() const {
        const std::lock_guard lock(_mutex);
        return _all;
    }
    /// As soon as there are so many.
    std::vector<LogFailure> atLeast(std::size_t count) const {
        for (int i = 0; i < 3'000 && all().size() < count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        CPPUNIT_ASSERT(all().size() >= count);
        return all();
    }

private:
    LogWriter& _writer;
    mutable std::mutex _mutex;
    std::vector<LogFailure> _all;
};

} // namespace

class LogWriterTest : public CppUnit::TestFixture {
protected:
    std::string file() const { return (_directory / "a.log").string(); }
    std::string content() const { return readWholeFile(file()); }

    TemporaryDirectory _directory{"log"};
};

TEST(LogWriterTest, linesAreInTheFileAfterAFlush) {
    LogWriter writer(file());
    writer.write("one\n");
    writer.write("two\n");
    writer.flush();
    CPPUNIT_ASSERT_EQUAL(std::string("one\ntwo\n"), content());
}

TEST(LogWriterTest, endOfTheWriterLosesNothing) {
    {
        LogWriter writer(file());
        for (int i = 0; i < 10'000; ++i)
            writer.write("0123456789\n");
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{110'000}, content().size());
}

TEST(LogWriterTest, linesAppearWithoutBeingAskedFor) {
    LogWriter writer(file());
    writer.write("one\n");
    for (int i = 0; i < 1'000 && content().empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CPPUNIT_ASSERT_EQUAL(std::string("one\n"), content());
}

TEST(LogWriterTest, fileIsAppendedToAndNotReadableByOthers) {
    writeWholeFile(file(), "before\n");
    LogWriter(file()).write("after\n");
    CPPUNIT_ASSERT_EQUAL(std::string("before\nafter\n"), content());
    const auto fresh = (_directory / "fresh.log").string();
    LogWriter(fresh).write("line\n");
    const auto others = std::filesystem::perms::others_all;
    CPPUNIT_ASSERT((std::filesystem::status(fresh).permissions() & others) == std::filesystem::perms::none);
}

TEST(LogWriterTest, reopenFollowsAMovedFile) {
    LogWriter writer(file());
    writer.write("one\n");
    writer.flush();
    std::filesystem::rename(file(), file() + ".1");
    writer.write("two\n");
    writer.flush();
    writer.reopen();
    writer.write("three\n");
    writer.flush();
    CPPUNIT_ASSERT_EQUAL(std::string("one\ntwo\n"), readWholeFile(file() + ".1"));
    CPPUNIT_ASSERT_EQUAL(std::string("three\n"), content());
}

TEST(LogWriterTest, reopenThatFailsKeepsTheOldFile) {
    std::filesystem::create_directory(_directory / "logs");
    const auto inside = (_directory / "logs/a.log").string();
    LogWriter writer(inside);
    std::filesystem::rename(_directory / "logs", _directory / "moved");
    const Failures failures(writer);
    writer.reopen();
    writer.write("still here\n");
    CPPUNIT_ASSERT(writer.flush());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, failures.all().size());
    CPPUNIT_ASSERT(failures.all()[0].kind == LogFailure::Kind::ReopenFailed);
    CPPUNIT_ASSERT_EQUAL("cannot open the log file " + inside + ": No such file or directory",
                         failures.all()[0].reason);
    CPPUNIT_ASSERT_EQUAL(std::string("still here\n"), readWholeFile(_directory / "moved/a.log"));
}

TEST(LogWriterTest, reopenDuringAReopeningIsDoneToo) {
    const auto folder = _directory / "logs";
    std::filesystem::create_directory(folder);
    const auto inside = (folder / "a.log").string();
    LogWriter writer(inside);
    std::filesystem::rename(folder, _directory / "moved");
    writer.onFailure([&](const LogFailure&) { // comes between the opening that failed and its end
        if (std::filesystem::create_directory(folder))
            writer.reopen();
    });
    writer.reopen();
    CPPUNIT_ASSERT(writer.flush());
    writer.write("in the new file\n");
    CPPUNIT_ASSERT(writer.flush());
    CPPUNIT_ASSERT_EQUAL(std::string("in the new file\n"), readWholeFile(inside));
    writer.onFailure({});
}

TEST(LogWriterTest, fileThatCannotBeOpenedIsNamed) {
    const auto missing = (_directory / "missing/a.log").string();
    CPPUNIT_ASSERT_EQUAL("cannot open the log file " + missing + ": No such file or directory",
                         thrownBy<Poco::OpenFileException>([&] { const LogWriter writer(missing); }).message());
}

TEST(LogWriterTest, linesOfThreadsAreNeverMixed) {
    {
        LogWriter writer(file());
        std::vector<std::thread> threads;
        for (const char letter : {'a', 'b', 'c', 'd'})
            threads.emplace_back([&writer, letter] {
                for (int i = 0; i < 2'000; ++i)
                    writer.write(std::string(50, letter) + '\n');
            });
        for (auto& thread : threads)
            thread.join();
    }
    const auto text = content();
    CPPUNIT_ASSERT_EQUAL(std::size_t{4 * 2'000 * 51}, text.size());
    for (std::size_t at = 0; at < text.size(); at += 51)
        CPPUNIT_ASSERT_EQUAL(std::string(50, text[at]) + '\n', text.substr(at, 51));
}

// A pipe that nobody reads: the writer's thread hangs in it, callers go on, and lines beyond the bound are counted.
TEST(LogWriterTest, slowTargetCostsLinesAndNotTheCaller) {
    CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(file().c_str(), 0600));
    const int reader = ::open(file().c_str(), O_RDWR | O_CLOEXEC);
    std::size_t kept = 0;
    {
        LogWriter writer(file());
        const std::string line = std::string(1'023, 'x') + '\n';
        constexpr std::size_t LINES = 30 * 1'024; // 30 MiB
        for (std::size_t i = 0; i < LINES; ++i)
            writer.write(line);
        CPPUNIT_ASSERT(writer.droppedLines() > 0);
        CPPUNIT_ASSERT(writer.droppedLines() < LINES);
        kept = (LINES - writer.droppedLines()) * line.size();
        std::thread drain([reader, kept] {
            std::array<char, 65'536> buffer{};
            for (std::size_t got = 0; got < kept;)
                got += static_cast<std::size_t>(::read(reader, buffer.data(), buffer.size()));
        });
        drain.join();
    }
    ::close(reader);
}

// Each of these ends, or the test hangs.
TEST(LogWriterTest, pipeThatNobodyReadsKeepsNobodyWaiting) {
    CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(file().c_str(), 0600));
    const int reader = ::open(file().c_str(), O_RDWR | O_CLOEXEC);
    {
        LogWriter writer(file());
        for (int i = 0; i < 200; ++i)
            writer.write(std::string(1'023, 'x') + '\n');
        CPPUNIT_ASSERT(!writer.flush(std::chrono::milliseconds(300)));
        writer.reopen();
        writer.write("after\n");
    }
    ::close(reader);
}

TEST(LogWriterTest, socketThatNobodyReadsKeepsNobodyWaiting) {
    std::array<int, 2> ends{};
    CPPUNIT_ASSERT_EQUAL(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()));
    const int standardOutput = ::dup(STDOUT_FILENO);
    ::dup2(ends[0], STDOUT_FILENO);
    {
        LogWriter writer("-");
        for (int i = 0; i < 2'000; ++i)
            writer.write(std::string(1'023, 'x') + '\n');
        CPPUNIT_ASSERT(!writer.flush(std::chrono::milliseconds(300)));
    }
    ::dup2(standardOutput, STDOUT_FILENO);
    for (const int descriptor : {ends[0], ends[1], standardOutput})
        ::close(descriptor);
}

TEST(LogWriterTest, namedPipeWithoutAReaderIsRefused) {
    CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(file().c_str(), 0600));
    CPPUNIT_ASSERT_THROW(LogWriter writer(file()), Poco::OpenFileException);
}

TEST(LogWriterTest, linesLostToAFullDiskAreCountedAndTold) {
    LogWriter writer("/dev/full");
    const Failures failures(writer);
    for (int round = 0; round < 3; ++round) {
        writer.write("one\ntwo\n");
        CPPUNIT_ASSERT(writer.flush());
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{6}, writer.droppedLines());
    const auto told = failures.atLeast(1);
    CPPUNIT_ASSERT(told[0].kind == LogFailure::Kind::LosingLines);
    CPPUNIT_ASSERT_EQUAL(std::string("/dev/full"), told[0].target);
    CPPUNIT_ASSERT_EQUAL(std::string("No space left on device"), told[0].reason);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, told.size());
}

TEST(LogWriterTest, endOfALossIsToldWithItsNumber) {
    std::filesystem::create_symlink("/dev/full", file());
    LogWriter writer(file());
    const Failures failures(writer);
    writer.write("one\n");
    writer.write("two\n");
    CPPUNIT_ASSERT(writer.flush());
    failures.atLeast(1);
    std::filesystem::remove(file());
    writer.reopen();
    writer.write("three\n");
    const auto told = failures.atLeast(2);
    CPPUNIT_ASSERT(told[1].kind == LogFailure::Kind::Recovered);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, told[1].lines);
    CPPUNIT_ASSERT_EQUAL(std::string("three\n"), content());
}

TEST(LogWriterTest, lineAfterATornOneStandsAlone) {
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    LogWriter writer(file());
    const rlimit small{6, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    writer.write("one\ntwo and more\n");
    writer.flush();
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    writer.write("three\n");
    writer.flush();
    CPPUNIT_ASSERT_EQUAL(std::string("one\ntw\nthree\n"), content());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, writer.droppedLines());
}

} // namespace supplierd::tests
