// supplierd-imageworker: turns one hostile file after the other into a clean one and a thumbnail, inside a sandbox.
// The server starts it with a socket as descriptor 0 and nothing else; see shared/WorkerFrames.h.
#include "shared/WorkerFrames.h"
#include "worker/ImageJob.h"
#include "worker/Sandbox.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#ifdef __SANITIZE_ADDRESS__
/// Looking for leaks at the end takes a second process, which the sandbox kills.
extern "C" __attribute__((visibility("default"))) const char*
__asan_default_options() { // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
    return "detect_leaks=0";
}
#endif

namespace supplierd::media {
namespace {

constexpr unsigned CPU_SECONDS_PER_JOB = 10;
constexpr int BAD_FRAME = 3;

/// False at the end of the channel.
bool readAll(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = ::read(WORKER_CHANNEL, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

void writeAll(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
        const ssize_t put = ::write(WORKER_CHANNEL, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            throw std::system_error(errno, std::generic_category(), "write");
        at += put;
        size -= static_cast<std::size_t>(put);
    }
}

void sayHello() {
    const Hello hello{HELLO_MAGIC, static_cast<std::uint32_t>(::getpid())};
    writeAll(&hello, sizeof hello);
}

void refuse(Refusal reason) {
    ResultHeader header;
    header.refusal = static_cast<std::uint8_t>(reason);
    writeAll(&header, sizeof header);
}

void sendResult(const FinishedImage& image) {
    const auto& original = image.original;
    const bool turned = swapsSides(original.orientation);
    ResultHeader header;
    header.type = static_cast<std::uint8_t>(original.type);
    header.thumbnailType = static_cast<std::uint8_t>(image.thumbnail.type);
    header.width = turned ? original.height : original.width;
    header.height = turned ? original.width : original.height;
    header.thumbnailWidth = image.thumbnail.width;
    header.thumbnailHeight = image.thumbnail.height;
    header.originalBytes = static_cast<std::uint32_t>(original.bytes.size());
    header.thumbnailBytes = static_cast<std::uint32_t>(image.thumbnail.bytes.size());
    writeAll(&header, sizeof header);
    writeAll(original.bytes.data(), original.bytes.size());
    writeAll(image.thumbnail.bytes.data(), image.thumbnail.bytes.size());
}

void process(const std::string& image) {
    FinishedImage finished;
    try {
        finished = processImage(image);
    } catch (const RefusedImage& refused) {
        refuse(refused.reason());
        return;
    } catch (const std::exception&) { // a library gave up, or memory is at its limit
        refuse(Refusal::Undecodable);
        return;
    }
    sendResult(finished);
}

/// Reads jobs from the channel and answers them, until the server closes it. Returns the exit code of the process.
int runJobs() {
    sayHello();
    std::string image;
    JobHeader job;
    while (readAll(&job, sizeof job)) {
        if (job.magic != JOB_MAGIC || job.imageBytes > MAX_IMAGE_BYTES)
            return BAD_FRAME;
        image.resize(job.imageBytes);
        if (!readAll(image.data(), image.size()))
            return BAD_FRAME;
        limitCpuTime(CPU_SECONDS_PER_JOB);
        process(image);
        ::malloc_trim(0);
    }
    return 0;
}

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
    return ::fstat(WORKER_CHANNEL, &channel) == 0 && S_ISSOCK(channel.st_mode);
}

int runWorker() {
    openStandardDescriptors();
    if (!hasChannel()) {
        std::fputs("supplierd-imageworker is started by supplierd; it does nothing by itself.\n", stderr);
        return USAGE;
    }
    try {
        std::signal(SIGPIPE, SIG_IGN);
        stepBack();
        const ThumbnailMaker prepared;
        enterSandbox({});
        return runJobs();
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "supplierd-imageworker: %s\n", failure.what());
        return FAILED;
    }
}

} // namespace
} // namespace supplierd::media

int main() {
    return supplierd::media::runWorker();
}
