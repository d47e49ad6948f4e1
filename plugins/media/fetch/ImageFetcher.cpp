#include "ImageFetcher.h"

#include "FetchError.h"

#include <algorithm>

namespace supplierd::media {

namespace {

constexpr std::string_view BLANKS = " \t\r\n";

FetchErrorCode codeOf(HttpErrorCode code) {
    switch (code) {
    case HttpErrorCode::Address:
        return FetchErrorCode::Address;
    case HttpErrorCode::Dns:
        return FetchErrorCode::Dns;
    case HttpErrorCode::Tls:
        return FetchErrorCode::Tls;
    case HttpErrorCode::Timeout:
        return FetchErrorCode::Timeout;
    case HttpErrorCode::Protocol:
        return FetchErrorCode::HttpStatus;
    case HttpErrorCode::TooLarge:
        return FetchErrorCode::TooLarge;
    case HttpErrorCode::Encoded:
        return FetchErrorCode::Type;
    case HttpErrorCode::Damaged:
        return FetchErrorCode::Damaged;
    case HttpErrorCode::Stopped:
        return FetchErrorCode::Stopped;
    case HttpErrorCode::Connect:
        break;
    }
    return FetchErrorCode::Connect;
}

/// In a supplier's words where it is about the image.
FetchError asFetchError(const HttpError& problem, const FetchOptions& options) {
    switch (problem.code()) {
    case HttpErrorCode::Timeout:
        return FetchError::timeout();
    case HttpErrorCode::Stopped:
        return FetchError::stopped();
    case HttpErrorCode::TooLarge:
        return FetchError::tooLarge(options.maxBytes);
    case HttpErrorCode::Encoded:
        return {FetchErrorCode::Type, "the image's server sent the image compressed, which is not accepted"};
    default:
        return {codeOf(problem.code()), problem.what()};
    }
}

std::string_view withoutBlanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(BLANKS);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(BLANKS) - begin + 1);
}

} // namespace

ImageFetcher::ImageFetcher(FetchOptions options, std::unique_ptr<const HttpClient> client)
    : _options(options), _client(std::move(client)) {}

FetchedImage ImageFetcher::fetch(const std::string& url, Clock::time_point end, const StopSignal* stop) const {
    HttpRequest request;
    request.url = url;
    request.headers = {{"Accept", "image/jpeg, image/png, image/webp"}};
    request.timeout = std::min(_options.timeout, std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
    request.maxResponseBytes = _options.maxBytes;
    request.maxRedirects = _options.maxRedirects;
    request.onlyBodyOfStatus = 200;
    request.peerName = "the image's server";
    request.stop = stop;
    try {
        HttpResponse response = _client->send(request);
        if (response.status != 200)
            throw FetchError(FetchErrorCode::HttpStatus,
                             "the image's server answered with status " + std::to_string(response.status));
        if (response.body.empty())
            throw FetchError(FetchErrorCode::Damaged, "the answer of the image's server is empty");
        return {std::move(response.body), std::move(response.url)};
    } catch (const HttpError& problem) {
        throw asFetchError(problem, _options);
    }
}

void ImageFetcher::check(const std::string& url) const {
    try {
        _client->check(url);
    } catch (const HttpError& problem) {
        throw asFetchError(problem, _options);
    }
}

std::vector<std::string> splitUrls(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        const std::string_view part = withoutBlanks(text.substr(begin, end - begin));
        begin = end + 1;
        if (!part.empty())
            parts.emplace_back(part);
    }
    return parts;
}

} // namespace supplierd::media
