#include "worker/Sandbox.h"

#include "tests/support/Test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>

namespace supplierd::tests {

namespace {

constexpr int REFUSED = 10;
constexpr int POSSIBLE = 11;
constexpr int NO_SANDBOX = 12;
constexpr int KILLED = 100;
constexpr unsigned NEVER = 4'000'000'000;

int verdict(long result) {
    return result < 0 ? REFUSED : POSSIBLE;
}

/// What became of a process that did this inside the sandbox: its exit code, or KILLED and the signal.
int inSandbox(const std::function<int()>& attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            media::enterSandbox({});
        } catch (const std::exception&) {
            ::_exit(NO_SANDBOX);
        }
        ::_exit(attempt());
    }
    int status = 0;
    CPPUNIT_ASSERT_EQUAL(child, ::waitpid(child, &status, 0));
    return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

class SandboxTest : public CppUnit::TestFixture {
protected:
    static std::string statusOf(pid_t process) {
        const int file = ::open(("/proc/" + std::to_string(process) + "/status").c_str(), O_RDONLY | O_CLOEXEC);
        std::string text(8192, '\0');
        const ssize_t size = ::read(file, text.data(), text.size());
        ::close(file);
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }
};

TEST(SandboxTest, computingAndMemoryAreLeft) {
    CPPUNIT_ASSERT_EQUAL(POSSIBLE, inSandbox([] {
                             const std::string large(100'000'000, 'x');
                             return large.back() == 'x' ? POSSIBLE : REFUSED;
                         }));
}

TEST(SandboxTest, theChannelIsLeft) {
    int ends[2];
    CPPUNIT_ASSERT_EQUAL(0, ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    const int before = ::dup(STDIN_FILENO);
    ::dup2(ends[0], STDIN_FILENO);
    const int result = inSandbox([] { return verdict(::write(STDIN_FILENO, "x", 1)); });
    ::dup2(before, STDIN_FILENO);
    char byte = 0;
    CPPUNIT_ASSERT_EQUAL(ssize_t{1}, ::recv(ends[1], &byte, 1, MSG_DONTWAIT));
    for (const int descriptor : {ends[0], ends[1], before})
        ::close(descriptor);
    CPPUNIT_ASSERT_EQUAL(POSSIBLE, result);
}

TEST(SandboxTest, filesAreRefused) {
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::open("/etc/passwd", O_RDONLY)); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::syscall(SYS_open, "/etc/passwd", O_RDONLY)); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::open("/tmp/x", O_WRONLY | O_CREAT, 0600)); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] {
                             struct stat status {};
                             return verdict(::stat("/", &status));
                         }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::unlink("/tmp/x")); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::chdir("/")); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::dup(STDIN_FILENO)); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] { return verdict(::write(STDOUT_FILENO, "leak\n", 5)); }));
}

TEST(SandboxTest, networkIsDeadly) {
    for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK})
        CPPUNIT_ASSERT_EQUAL(KILLED + SIGSYS,
                             inSandbox([family] { return verdict(::socket(family, SOCK_STREAM, 0)); }));
}

TEST(SandboxTest, processesAreDeadly) {
    CPPUNIT_ASSERT_EQUAL(KILLED + SIGSYS, inSandbox([] { return verdict(::fork()); }));
    CPPUNIT_ASSERT_EQUAL(KILLED + SIGSYS, inSandbox([] { return verdict(::execl("/bin/true", "true", nullptr)); }));
    CPPUNIT_ASSERT_EQUAL(KILLED + SIGSYS, inSandbox([] { return verdict(::kill(::getppid(), 0)); }));
}

TEST(SandboxTest, debuggingIsDeadly) {
    CPPUNIT_ASSERT_EQUAL(KILLED + SIGSYS,
                         inSandbox([] { return verdict(::syscall(SYS_ptrace, 16, 1, nullptr, nullptr)); }));
}

TEST(SandboxTest, executableMemoryIsRefused) {
    const auto map = [](int protection) {
        return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    };
    CPPUNIT_ASSERT_EQUAL(REFUSED,
                         inSandbox([&] { return verdict(map(PROT_WRITE | PROT_EXEC) == MAP_FAILED ? -1 : 0); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([&] {
                             auto* const memory = map(PROT_READ | PROT_WRITE);
                             return verdict(::mprotect(memory, 4096, PROT_READ | PROT_EXEC));
                         }));
}

TEST(SandboxTest, limitsCannotBeRaised) {
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([&] { return verdict(::setrlimit(RLIMIT_AS, &none)); }));
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([&] { return verdict(::setrlimit(RLIMIT_NOFILE, &none)); }));
}

TEST(SandboxTest, inheritedDescriptorsAreGone) {
    const int inherited = ::open("/etc/passwd", O_RDONLY);
    CPPUNIT_ASSERT(inherited >= 0);
    const int result = inSandbox([inherited] {
        char byte = 0;
        return verdict(::read(inherited, &byte, 1));
    });
    ::close(inherited);
    CPPUNIT_ASSERT_EQUAL(REFUSED, result);
}

// Sanitizers map more memory than any limit allows, so that the worker has none then.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(SandboxTest, memoryEndsAtTheLimit) {
    CPPUNIT_ASSERT_EQUAL(REFUSED, inSandbox([] {
                             try {
                                 const std::string huge(std::size_t{600} << 20U, 'x');
                                 return huge.empty() ? REFUSED : POSSIBLE;
                             } catch (const std::bad_alloc&) {
                                 return REFUSED;
                             }
                         }));
}
#endif

TEST(SandboxTest, processorTimeEnds) {
    CPPUNIT_ASSERT_EQUAL(KILLED + SIGXCPU, inSandbox([] {
                             media::limitCpuTime(0);
                             std::atomic<unsigned> turns = 0;
                             while (turns.fetch_add(1) < NEVER)
                                 continue;
                             return POSSIBLE;
                         }));
}

TEST(SandboxTest, privilegesAndDumpsAreGone) {
    int ends[2];
    CPPUNIT_ASSERT_EQUAL(0, ::pipe(ends));
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDIN_FILENO); // the one descriptor that stays
        media::enterSandbox({});
        static_cast<void>(!::write(STDIN_FILENO, "x", 1));
        for (;;)
            static_cast<void>(::sched_yield());
    }
    char byte = 0;
    CPPUNIT_ASSERT_EQUAL(ssize_t{1}, ::read(ends[0], &byte, 1));
    const auto status = statusOf(child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    CPPUNIT_ASSERT(status.find("NoNewPrivs:\t1\n") != std::string::npos);
    CPPUNIT_ASSERT(status.find("Seccomp:\t2\n") != std::string::npos);
}

} // namespace supplierd::tests
