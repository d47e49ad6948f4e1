#include "worker/JobLoop.h"

#include "worker/Sandbox.h"

#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

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

} // namespace

int JobLoop::run() {
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
        work(image);
        ::malloc_trim(0);
    }
    return 0;
}

void JobLoop::sayHello() {
    const Hello hello{HELLO_MAGIC, static_cast<std::uint32_t>(::getpid())};
    writeAll(&hello, sizeof hello);
}

void JobLoop::work(const std::string& image) {
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
    answer(finished);
}

void JobLoop::refuse(Refusal reason) {
    AnswerHeader header;
    header.refusal = static_cast<std::uint8_t>(reason);
    writeAll(&header, sizeof header);
}

void JobLoop::answer(const FinishedImage& image) {
    const auto& original = image.original;
    const bool turned = swapsSides(original.orientation);
    AnswerHeader header;
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

} // namespace supplierd::media
