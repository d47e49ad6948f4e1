// media-memory-growth [IMAGES]: how much memory the server holds before and after so many images (default 1,000) of 3
// MB each, ten a request. The bar is a growth of 10 MB. Not a test: figures for the README of tests/bench.
#include "ImageFixtures.h"
#include "MediaFixture.h"

#include <cstdio>
#include <fstream>
#include <random>
#include <string>

using namespace supplierd;
using namespace supplierd::tests;

namespace {

constexpr int PER_REQUEST = 10;
constexpr int WARM_UP = 100;

long residentKibibytes(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:"))
            return std::stol(line.substr(6));
    return 0;
}

std::string photograph(unsigned seed) {
    auto raster = gradient(1000, 1000);
    std::minstd_rand random(seed + 1);
    for (auto& sample : raster.samples)
        sample = static_cast<std::uint8_t>(sample / 2 + random() % 128);
    return encoded(raster, media::ImageType::Png);
}

void add(MediaClient& supplier, const std::vector<std::string>& pictures, int images) {
    static int number = 0;
    for (int done = 0; done < images; done += PER_REQUEST) {
        std::vector<std::string> urls;
        for (int i = 0; i < PER_REQUEST; ++i)
            urls.push_back(pictures[static_cast<std::size_t>(i) % pictures.size()] + "?" + std::to_string(number++));
        const auto product = supplier.createProduct();
        const auto added = supplier.add(product, urls)["images"];
        for (const auto& image : added)
            supplier.removeImage(product, image["id"]);
    }
}

} // namespace

int main(int argc, char** argv) {
    const int images = argc > 1 ? std::stoi(argv[1]) : 1'000;
    MediaFixture fixture;
    MediaClient supplier(fixture);
    std::vector<std::string> pictures;
    for (unsigned seed = 0; seed < 5; ++seed)
        pictures.push_back(fixture.origin().serve(photograph(seed)));
    const auto resident = [&] { return residentKibibytes(fixture.server().pid()); };
    std::printf("at the start   %8ld KiB\n", resident());
    add(supplier, pictures, WARM_UP);
    const long before = resident();
    std::printf("after %6d   %8ld KiB\n", WARM_UP, before);
    for (int done = 0; done < images; done += images / 4) {
        add(supplier, pictures, images / 4);
        std::printf("after %6d   %8ld KiB\n", WARM_UP + done + images / 4, resident());
    }
    const long grown = resident() - before;
    std::printf("grown by       %8ld KiB over %d images\n", grown, images);
    return grown < 10 * 1024 ? 0 : 1;
}
