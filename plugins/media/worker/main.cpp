// supplierd-imageworker: turns one hostile file after the other into a clean one and a thumbnail, inside a sandbox.
// The server starts it with a socket as descriptor 0 and nothing else; see shared/WorkerFrames.h.
#include "worker/JobLoop.h"
#include "worker/Sandbox.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#ifdef __SANITIZE_ADDRESS__
/// Looking for leaks at the end takes a second process, which the sandbox kills.
extern "C" __attribute__((visibility("default"))) const char*
__asan_default_options() { // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
    return "detect_leaks=0";
}
#endif

namespace {

constexpr int FAILED = 1;
constexpr int USAGE = 2;
constexpr int NICENESS = 10; // a page of the API comes before a picture

/// Linux compares processes of one session by their niceness, and sessions by that of their group. A session that is
/// not the worker's own is left as it is.
void stepBack() {
    ::setpriority(PRIO_PROCESS, 0, NICENESS);
    if (::getsid(0) != ::getpid())
        return;
    if (std::FILE* group = std::fopen("/proc/self/autogroup", "w")) {
        std::fprintf(group, "%d", NICENESS);
        std::fclose(group);
    }
}

/// /dev/null for those that are closed: else the next file that is opened gets such a number.
void openStandardDescriptors() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor)
            ::_exit(FAILED);
}

bool hasChannel() {
    struct stat channel {};
    return ::fstat(supplierd::media::WORKER_CHANNEL, &channel) == 0 && S_ISSOCK(channel.st_mode);
}

} // namespace

int main() {
    openStandardDescriptors();
    if (!hasChannel()) {
        std::fputs("supplierd-imageworker is started by supplierd; it does nothing by itself.\n", stderr);
        return USAGE;
    }
    try {
        std::signal(SIGPIPE, SIG_IGN);
        stepBack();
        const supplierd::media::ThumbnailMaker prepared;
        supplierd::media::enterSandbox({});
        return supplierd::media::JobLoop::run();
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "supplierd-imageworker: %s\n", failure.what());
        return FAILED;
    }
}
