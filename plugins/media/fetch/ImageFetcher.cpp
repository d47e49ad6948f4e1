#include "ImageFetcher.h"

#include "Connector.h"
#include "DnsResolver.h"
#include "FetchError.h"
#include "ResponseBody.h"
#include "ResponseHead.h"
#include "StreamInput.h"
#include "TcpStream.h"
#include "TlsStream.h"

#include <algorithm>
#include <optional>

namespace supplierd::media {

using Poco::Net::IPAddress;
using Poco::Net::SocketAddress;

namespace {

// How many addresses of a name are tried; the others would not get enough of the time.
constexpr std::size_t MAX_TRIES = 4;

FetchError redirectError(const std::string& text) {
    return {FetchErrorCode::HttpStatus, text};
}

/// The first that answers of `addresses`, which share the time that is left evenly.
Poco::Net::StreamSocket connectToAny(const Connector& connector, const std::vector<IPAddress>& addresses,
                                     std::uint16_t port, const TimeLimit& limit) {
    const std::size_t tries = std::min(addresses.size(), MAX_TRIES);
    for (std::size_t i = 0;; ++i) {
        try {
            return connector.connect(SocketAddress(addresses[i], port),
                                     limit.atMost(limit.left() / static_cast<long>(tries - i)));
        } catch (const FetchError& problem) {
            if (i + 1 == tries || problem.code() == FetchErrorCode::Stopped)
                throw;
        }
    }
}

} // namespace

struct ImageFetcher::Answer {
    std::string body;
    std::optional<std::string> location;
};

ImageFetcher::ImageFetcher(FetchOptions options, AddressPolicy policy)
    : ImageFetcher(std::move(options), std::move(policy), std::make_shared<DnsResolver>(),
                   std::make_shared<TcpConnector>()) {}

ImageFetcher::ImageFetcher(FetchOptions options, AddressPolicy policy, std::shared_ptr<const Resolver> resolver,
                           std::shared_ptr<const Connector> connector)
    : _options(std::move(options)),
      _policy(std::move(policy)),
      _resolver(std::move(resolver)),
      _connector(std::move(connector)),
      _tls(_options.trustedCertificates) {}

ImageFetcher::~ImageFetcher() = default;

FetchedImage ImageFetcher::fetch(const ImageUrl& first, const TimeLimit& limit) const {
    const TimeLimit whole = limit.atMost(_options.timeout);
    ImageUrl url = first;
    for (unsigned redirects = 0;; ++redirects) {
        Answer answer = request(url, whole);
        if (!answer.location)
            return {std::move(answer.body), url};
        if (redirects == _options.maxRedirects)
            throw redirectError("the image's server redirects more than " + std::to_string(redirects) + " times");
        url = url.resolve(*answer.location);
    }
}

void ImageFetcher::judge(const ImageUrl& url) const {
    const UrlHost& host = url.host();
    if (host.address() ? !_policy.allows(*host.address()) : host.isInternalName() && !_policy.allowsInternalNames())
        throw FetchError::addressNotAllowed();
    if (!_options.allowPorts.contains(url.port()))
        throw FetchError(FetchErrorCode::Address, "port " + std::to_string(url.port()) + " is not allowed");
}

ImageFetcher::Answer ImageFetcher::request(const ImageUrl& url, const TimeLimit& limit) const {
    judge(url);
    const auto stream = connect(url, limit);
    stream->write(requestText(url), limit);
    StreamInput input(*stream, limit);
    ResponseHead head = ResponseHead::read(input);
    if (head.isRedirect()) {
        // A header in RFC 2047 words is read in two ways, and neither is a URL.
        if (head.locations.size() != 1 || head.locations.front().starts_with("=?"))
            throw redirectError("the image's server redirects to nowhere");
        return {{}, std::move(head.locations.front())};
    }
    if (head.status != 200)
        throw FetchError(FetchErrorCode::HttpStatus,
                         "the image's server answered with status " + std::to_string(head.status));
    if (head.isEncoded)
        throw FetchError(FetchErrorCode::Type, "the image's server sent the image compressed, which is not accepted");
    return {readBody(input, head, _options.maxBytes), std::nullopt};
}

std::vector<IPAddress> ImageFetcher::addressesOf(const UrlHost& host, const TimeLimit& limit) const {
    if (host.address())
        return {*host.address()};
    auto addresses = _resolver->resolve(host.text(), limit.atMost(_options.connectTimeout));
    // One bad address spoils the name: it would be a lottery otherwise, which the name's owner draws.
    if (!std::ranges::all_of(addresses, [&](const IPAddress& address) { return _policy.allows(address); }))
        throw FetchError::addressNotAllowed();
    std::ranges::stable_partition(addresses,
                                  [](const IPAddress& address) { return address.family() == IPAddress::IPv4; });
    return addresses;
}

std::unique_ptr<ByteStream> ImageFetcher::connect(const ImageUrl& url, const TimeLimit& limit) const {
    const auto addresses = addressesOf(url.host(), limit);
    const TimeLimit connectLimit = limit.atMost(_options.connectTimeout);
    auto stream = std::make_unique<TcpStream>(connectToAny(*_connector, addresses, url.port(), connectLimit));
    if (!url.isSecure())
        return stream;
    return std::make_unique<TlsStream>(std::move(stream), _tls, url.host(), connectLimit);
}

std::string ImageFetcher::requestText(const ImageUrl& url) const {
    return "GET " + url.target() + " HTTP/1.1\r\nHost: " + url.authority() + "\r\nUser-Agent: " + _options.userAgent +
           "\r\nAccept: image/jpeg, image/png, image/webp\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n";
}

} // namespace supplierd::media
