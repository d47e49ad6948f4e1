#pragma once

#include "FetchError.h"
#include "ImageFetcher.h"
#include "tests/host/outbound/OutboundFixtures.h"

#include <memory>
#include <string>

namespace supplierd::tests {

/// A fetcher whose internet is a loopback origin.
class FetchFixture {
public:
    FetchFixture() = default;
    explicit FetchFixture(std::uint16_t originPort) { detour->leadTo(originPort); }

    std::shared_ptr<StubResolver> resolver = std::make_shared<StubResolver>();
    std::shared_ptr<Detour> detour = std::make_shared<Detour>();
    media::FetchOptions options;
    HttpRules rules;

    std::shared_ptr<const media::ImageFetcher> fetcher() const;
    media::FetchedImage fetch(const std::string& url) const;
    /// "CODE: text" of the FetchError; "fetched" when there is none.
    std::string failure(const std::string& url) const;
    /// Only the code; "fetched" when there is none.
    std::string code(const std::string& url) const;
};

/// When no test runs any more.
media::ImageFetcher::Clock::time_point later();

/// SIZE bytes that differ from each other as far as bytes can.
std::string pictureOf(std::size_t size);

} // namespace supplierd::tests
