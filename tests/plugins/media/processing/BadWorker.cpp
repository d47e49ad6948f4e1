// Stands in for supplierd-imageworker and behaves as the last part of its name says, to see what the pool makes of it.
#include "shared/ImageType.h"
#include "shared/WorkerFrames.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

using namespace supplierd::media;

namespace {

void readAll(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        const ssize_t got = ::read(WORKER_CHANNEL, at, size);
        if (got <= 0)
            ::_exit(0);
        at += got;
        size -= static_cast<std::size_t>(got);
    }
}

void writeAll(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
        const ssize_t put = ::write(WORKER_CHANNEL, at, size);
        if (put <= 0)
            ::_exit(0);
        at += put;
        size -= static_cast<std::size_t>(put);
    }
}

[[noreturn]] void sleepForEver() {
    for (;;)
        ::pause();
}

ResultHeader goodAnswer() {
    ResultHeader header;
    header.type = header.thumbnailType = static_cast<std::uint8_t>(ImageType::Jpeg);
    header.width = header.height = header.thumbnailWidth = header.thumbnailHeight = 1;
    header.originalBytes = header.thumbnailBytes = 4;
    return header;
}

/// Hangs, and shows by a file beside the program that it has a job.
[[noreturn]] void hang(const std::string& name) {
    ::close(::open((name + ".working").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    sleepForEver();
}

constexpr std::string_view GOOD_FILES = "\xFF\xD8\xFF\xD9\xFF\xD8\xFF\xD9";

/// An answer with one thing wrong.
struct WrongResult {
    std::string_view manner;
    void (*distort)(ResultHeader&);
    std::string_view files;
};

void distortNothing(ResultHeader&) {}

constexpr std::array WRONG_RESULTS{
    WrongResult{"gigabytes", [](ResultHeader& header) { header.originalBytes = 0xFFFFFFFF; }, GOOD_FILES},
    WrongResult{"large-thumbnail", [](ResultHeader& header) { header.thumbnailWidth = 401; }, GOOD_FILES},
    WrongResult{"no-dimensions", [](ResultHeader& header) { header.width = 0; }, GOOD_FILES},
    WrongResult{"unknown-type", [](ResultHeader& header) { header.type = 9; }, GOOD_FILES},
    WrongResult{"unknown-refusal", [](ResultHeader& header) { header.refusal = 200; }, GOOD_FILES},
    WrongResult{"other-type", [](ResultHeader& header) { header.type = static_cast<std::uint8_t>(ImageType::Png); },
                "\x89PNG\xFF\xD8\xFF\xD9"},
    WrongResult{"html", distortNothing, "<svg<svg"},
    WrongResult{"half", distortNothing, "\xFF\xD8\xFF\xD9"},
    WrongResult{"extra", distortNothing, "\xFF\xD8\xFF\xD9\xFF\xD8\xFF\xD9more"},
};

void behave(const std::string& name, std::string_view manner) {
    if (manner == "hang")
        hang(name);
    if (manner == "die")
        ::_exit(1);
    if (manner == "babble")
        writeAll(std::string(100'000, 'b').data(), 100'000);
    for (const auto& result : WRONG_RESULTS) {
        if (result.manner != manner)
            continue;
        auto header = goodAnswer();
        result.distort(header);
        writeAll(&header, sizeof header);
        writeAll(result.files.data(), result.files.size());
    }
}

} // namespace

int main(int, char** arguments) {
    const std::string name = arguments[0];
    const auto manner = std::string_view(name).substr(name.rfind('/') + 1);
    if (manner == "die-at-start")
        return 1;
    if (manner == "hang-at-start")
        sleepForEver();
    Hello hello;
    if (manner == "babble-at-start")
        hello.magic = 1;
    writeAll(&hello, sizeof hello);
    for (;;) {
        JobHeader job;
        readAll(&job, sizeof job);
        std::string image(job.imageBytes, '\0');
        readAll(image.data(), image.size());
        behave(name, manner);
    }
}
