#include "FetchFixture.h"

#include "host/outbound/OutboundHttp.h"

namespace supplierd::tests {

using media::FetchError;

std::shared_ptr<const media::ImageFetcher> FetchFixture::fetcher() const {
    return std::make_shared<media::ImageFetcher>(options,
                                                 std::make_unique<host::OutboundHttp>(rules, resolver, detour));
}

media::FetchedImage FetchFixture::fetch(const std::string& url) const {
    return fetcher()->fetch(url, later());
}

std::string FetchFixture::failure(const std::string& url) const {
    try {
        fetch(url);
        return "fetched";
    } catch (const FetchError& problem) {
        return std::string(media::codeName(problem.code())) + ": " + problem.what();
    }
}

std::string FetchFixture::code(const std::string& url) const {
    const std::string text = failure(url);
    return text.substr(0, text.find(':'));
}

media::ImageFetcher::Clock::time_point later() {
    return longLimit().end();
}

std::string pictureOf(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>(i * 2654435761u >> 13);
    return bytes;
}

} // namespace supplierd::tests
