#include "ImageFetcher.h"

#include "DnsResolver.h"
#include "FetchError.h"

#include <algorithm>

namespace supplierd::media {

using Poco::Net::IPAddress;

namespace {

FetchError redirectError(const std::string& text) {
    return {FetchErrorCode::HttpStatus, text};
}

} // namespace

ImageFetcher::ImageFetcher(FetchOptions options, AddressPolicy policy)
    : ImageFetcher(std::move(options), std::move(policy), std::make_shared<DnsResolver>(),
                   std::make_shared<Connector>()) {}

ImageFetcher::ImageFetcher(FetchOptions options, AddressPolicy policy, std::shared_ptr<const Resolver> resolver,
                           std::shared_ptr<const Connector> connector)
    : _options(std::move(options)),
      _policy(std::move(policy)),
      _resolver(std::move(resolver)),
      _transport(_options.trustedCertificates, _policy, std::move(connector)) {}

ImageFetcher::~ImageFetcher() = default;

FetchedImage ImageFetcher::fetch(const ImageUrl& first, const TimeLimit& limit) const {
    const TimeLimit whole = limit.atMost(_options.timeout);
    ImageUrl url = first;
    for (unsigned redirects = 0;; ++redirects) {
        HttpResponse response = request(url, whole);
        if (!response.isRedirect())
            return {std::move(response.body), url};
        if (redirects == _options.maxRedirects)
            throw redirectError("the image's server redirects more than " + std::to_string(redirects) + " times");
        url = url.resolve(response.locations.front());
    }
}

void ImageFetcher::judge(const ImageUrl& url) const {
    const UrlHost& host = url.host();
    if (host.address() ? !_policy.allows(*host.address()) : host.isInternalName() && !_policy.allowsInternalNames())
        throw FetchError::addressNotAllowed();
    if (!_options.allowPorts.contains(url.port()))
        throw FetchError(FetchErrorCode::Address, "port " + std::to_string(url.port()) + " is not allowed");
}

HttpResponse ImageFetcher::request(const ImageUrl& url, const TimeLimit& limit) const {
    static const std::vector<std::string> fields{"Accept: image/jpeg, image/png, image/webp",
                                                 "Accept-Encoding: identity", "Connection: close"};
    judge(url);
    const auto addresses = addressesOf(url.host(), limit);
    HttpResponse response = _transport.get({url, addresses, _options.userAgent, fields, _options.maxBytes},
                                           limit.atMost(_options.connectTimeout), limit);
    if (response.isRedirect()) {
        // A header in RFC 2047 words is read in two ways, and neither is a URL.
        if (response.locations.size() != 1 || response.locations.front().starts_with("=?"))
            throw redirectError("the image's server redirects to nowhere");
    } else if (response.status != 200) {
        throw FetchError(FetchErrorCode::HttpStatus,
                         "the image's server answered with status " + std::to_string(response.status));
    }
    return response;
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

} // namespace supplierd::media
