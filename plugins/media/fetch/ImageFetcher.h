#pragma once

#include <supplierd/services/HttpClient.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

struct FetchOptions {
    /// So many bytes are accepted, one more is not.
    std::uint64_t maxBytes = 5'242'880;
    unsigned maxRedirects = 3;
    /// For one image with its redirects.
    std::chrono::milliseconds timeout{20'000};
};

struct FetchedImage {
    std::string bytes;
    /// Where the redirects led.
    std::string url;
};

/// Fetches what a stranger's URL names, with the host's HTTP client, which goes where its rules let it. The bytes are
/// whole, but nobody has looked at them. Thread: any, several at once.
class ImageFetcher {
public:
    using Clock = std::chrono::steady_clock;

    ImageFetcher(FetchOptions options, std::unique_ptr<const HttpClient> client);

    /// Ends after FetchOptions::timeout, at `end` when that is sooner, or when `stop` is raised. Throws FetchError.
    FetchedImage fetch(const std::string& url, Clock::time_point end, const StopSignal* stop = nullptr) const;

    /// Refuses what can be refused without the network. Throws FetchError (Address).
    void check(const std::string& url) const;

private:
    const FetchOptions _options;
    const std::unique_ptr<const HttpClient> _client;
};

/// The URLs of an `image_url`: separated by ';', blanks around them trimmed, empty ones ignored, in order, repeated
/// ones too. They are not checked.
std::vector<std::string> splitUrls(std::string_view text);

} // namespace supplierd::media
