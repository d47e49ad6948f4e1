// media-image-rate [IMAGE...]: images per second of processor time, of a worker and of `gm convert` on the same files.
// Without arguments it draws three pictures of 12 megapixels. The bar is a ratio of 0.8.
#include "WorkerPool.h"
#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"

#include <sys/resource.h>
#include <unistd.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

using namespace supplierd;
using namespace supplierd::tests;

namespace {

constexpr int TIMES = 10;
constexpr int GM_TIMES = 4;

/// Gradient and grain: less of it for PNG, which would not fit into the limit.
media::Raster photograph(std::uint32_t width, std::uint32_t height, std::size_t grainDistance) {
    auto raster = gradient(width, height);
    std::minstd_rand random;
    for (std::size_t at = 0; at < raster.samples.size(); at += grainDistance)
        raster.samples[at] = static_cast<std::uint8_t>(raster.samples[at] / 2 + random() % 16);
    return raster;
}

double workerSeconds(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i)
        fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double childSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

double secondsOfWorker(media::WorkerPool& pool, const std::string& image) {
    const auto handle = [&] {
        const auto result = pool.process(image, std::chrono::steady_clock::now() + std::chrono::minutes(1));
        if (const auto* const refusal = std::get_if<media::ImageRefusal>(&result))
            throw std::runtime_error(std::string(refusal->text()));
    };
    handle();
    const double before = workerSeconds(pool.processIds().at(0));
    for (int i = 0; i < TIMES; ++i)
        handle();
    return (workerSeconds(pool.processIds().at(0)) - before) / TIMES;
}

/// `hint` lets gm use libjpeg's scaled decoding, its best.
double secondsOfGm(const std::filesystem::path& image, const std::filesystem::path& thumbnail, bool hint) {
    std::vector<std::string> arguments{"gm", "convert"};
    if (hint)
        arguments.insert(arguments.end(), {"-size", "800x800"});
    arguments.insert(arguments.end(), {image.string(), "-thumbnail", "400x400", thumbnail.string()});
    const double before = childSeconds();
    for (int i = 0; i < GM_TIMES; ++i)
        if (runCommand({.arguments = arguments, .environment = {{"OMP_NUM_THREADS", "1"}}}).exitCode != 0)
            throw std::runtime_error("gm convert fails");
    return (childSeconds() - before) / GM_TIMES;
}

/// The library itself: GraphicsMagick's limits are the worker's here, too low to encode this.
std::string webpOf(const media::Raster& raster) {
    std::uint8_t* bytes = nullptr;
    const auto stride = static_cast<int>(raster.width * media::channelsOf(raster.form));
    const std::size_t size = ::WebPEncodeRGB(raster.samples.data(), static_cast<int>(raster.width),
                                             static_cast<int>(raster.height), stride, 80, &bytes);
    std::string file(reinterpret_cast<const char*>(bytes), size);
    ::WebPFree(bytes);
    return file;
}

std::vector<std::filesystem::path> drawnImages(const TemporaryDirectory& folder) {
    std::vector<std::filesystem::path> images;
    for (const auto type : {media::ImageType::Jpeg, media::ImageType::Png, media::ImageType::Webp}) {
        const auto raster = photograph(4000, 3000, type == media::ImageType::Png ? 150 : 24);
        images.push_back(folder / ("image." + std::string(media::fileExtension(type))));
        writeWholeFile(images.back(), type == media::ImageType::Webp ? webpOf(raster) : encoded(raster, type));
    }
    return images;
}

} // namespace

int main(int count, char** arguments) {
    try {
        const TemporaryDirectory folder("rate");
        std::vector<std::filesystem::path> images(arguments + 1, arguments + count);
        if (images.empty())
            images = drawnImages(folder);
        media::WorkerPoolSettings settings;
        settings.program = SUPPLIERD_IMAGEWORKER;
        settings.workers = 1;
        settings.imageLimit = std::chrono::minutes(1);
        std::printf("%-12s %10s %10s %10s %12s %8s %8s\n", "image", "bytes", "worker/s", "gm/s", "gm -size/s", "ratio",
                    "ratio");
        for (const auto& image : images) {
            media::WorkerPool pool(settings);
            const auto content = readWholeFile(image);
            const double worker = secondsOfWorker(pool, content);
            const double plain = secondsOfGm(image, folder / "thumbnail.jpg", false);
            const double hinted = secondsOfGm(image, folder / "thumbnail.jpg", true);
            std::printf("%-12s %10zu %10.1f %10.1f %12.1f %8.2f %8.2f\n", image.filename().c_str(), content.size(),
                        1 / worker, 1 / plain, 1 / hinted, plain / worker, hinted / worker);
        }
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
}
