// supplierd-bench-origin PORT-FILE: serves pictures of 12 megapixels on the loopback for tests/bench/images, and writes
// its port into the file once they are drawn: /photo.jpg, /photo.png, /photo.webp, and /heavy.jpg, which has 4 MB. Ends
// with its standard input.
#include "tests/plugins/media/fixtures/ImageFixtures.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/ThreadPool.h>

#include <sys/resource.h>
#include <unistd.h>
#include <webp/encode.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace {

using namespace supplierd;

constexpr std::uint32_t WIDTH = 4000, HEIGHT = 3000;
constexpr std::size_t HEAVY = 4'000'000;
constexpr int WEBP_QUALITY = 80;

using Pictures = std::map<std::string, std::string>;

/// Gradient and grain: the smaller the distance of its grains, the more bytes.
media::Raster photograph(std::size_t grainDistance) {
    auto raster = tests::gradient(WIDTH, HEIGHT);
    std::minstd_rand random;
    for (std::size_t at = 0; at < raster.samples.size(); at += grainDistance)
        raster.samples[at] = static_cast<std::uint8_t>(raster.samples[at] / 2 + random() % 16);
    return raster;
}

std::string webpOf(const media::Raster& raster) {
    std::uint8_t* bytes = nullptr;
    const std::size_t size =
        ::WebPEncodeRGB(raster.samples.data(), static_cast<int>(raster.width), static_cast<int>(raster.height),
                        static_cast<int>(raster.width * media::channelsOf(raster.form)), WEBP_QUALITY, &bytes);
    std::string file(reinterpret_cast<const char*>(bytes), size);
    ::WebPFree(bytes);
    return file;
}

std::string heavyJpeg() {
    std::string best;
    for (const std::size_t distance : {24, 16, 12, 10, 8, 7, 6, 5, 4}) {
        std::string jpeg = tests::encoded(photograph(distance), media::ImageType::Jpeg);
        if (jpeg.size() > HEAVY && !best.empty())
            break;
        best = std::move(jpeg);
    }
    return best.size() < HEAVY ? tests::paddedJpeg(best, HEAVY) : best;
}

class Handler final : public Poco::Net::HTTPRequestHandler {
public:
    explicit Handler(const Pictures& pictures) : _pictures(pictures) {}

    void handleRequest(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) override {
        const std::string path = request.getURI().substr(0, request.getURI().find('?'));
        const auto found = _pictures.find(path);
        if (found == _pictures.end()) {
            response.setStatusAndReason(Poco::Net::HTTPResponse::HTTP_NOT_FOUND);
            response.setContentLength(0);
            response.send();
            return;
        }
        response.setContentType("application/octet-stream");
        response.sendBuffer(found->second.data(), found->second.size());
    }

private:
    const Pictures& _pictures;
};

class Factory final : public Poco::Net::HTTPRequestHandlerFactory {
public:
    explicit Factory(const Pictures& pictures) : _pictures(pictures) {}

    Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
        return std::make_unique<Handler>(_pictures).release();
    }

private:
    const Pictures& _pictures;
};

int run(const std::filesystem::path& portFile) {
    const Pictures pictures{{"/photo.jpg", tests::encoded(photograph(24), media::ImageType::Jpeg)},
                            {"/photo.png", tests::encoded(photograph(150), media::ImageType::Png)},
                            {"/photo.webp", webpOf(photograph(24))},
                            {"/heavy.jpg", heavyJpeg()}};
    for (const auto& [path, bytes] : pictures)
        std::fprintf(stderr, "%s has %zu bytes\n", path.c_str(), bytes.size());
    constexpr int THREADS = 32;
    Poco::ThreadPool threads(1, THREADS);
    Poco::Net::ServerSocket socket(Poco::Net::SocketAddress("127.0.0.1", 0), THREADS * 4);
    auto* parameters = new Poco::Net::HTTPServerParams;
    parameters->setMaxThreads(THREADS);
    parameters->setMaxQueued(THREADS * 8);
    Poco::Net::HTTPServer server(new Factory(pictures), threads, socket, parameters);
    server.start();
    const std::filesystem::path unfinished = portFile.string() + ".new";
    std::ofstream(unfinished) << socket.address().port() << '\n';
    std::filesystem::rename(unfinished, portFile);
    while (std::getchar() != EOF) {
    }
    server.stopAll(true);
    return EXIT_SUCCESS;
}

/// It stands for machines elsewhere: what it costs is not to be missing here.
void stepBack() {
    constexpr int LOWEST = 19;
    ::setsid();
    ::setpriority(PRIO_PROCESS, 0, LOWEST);
    std::ofstream("/proc/self/autogroup") << LOWEST;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: supplierd-bench-origin PORT-FILE\n");
        return 2;
    }
    try {
        stepBack();
        return run(arguments[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "supplierd-bench-origin: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
