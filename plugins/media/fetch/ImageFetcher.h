#pragma once

#include "AddressPolicy.h"
#include "HttpTransport.h"
#include "ImageUrl.h"
#include "TimeLimit.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace supplierd::media {

class Resolver;

struct FetchOptions {
    std::set<std::uint16_t> allowPorts{80, 443};
    /// So many bytes are accepted, one more is not.
    std::uint64_t maxBytes = 5'242'880;
    unsigned maxRedirects = 3;
    /// For looking a name up, and once more for TCP and TLS together; each anew for every redirect.
    std::chrono::milliseconds connectTimeout{5'000};
    /// For one image with its redirects.
    std::chrono::milliseconds timeout{20'000};
    std::string userAgent = "supplierd";
    /// A PEM file instead of the system's store.
    std::filesystem::path trustedCertificates = {};
};

struct FetchedImage {
    std::string bytes;
    /// Where the redirects led.
    ImageUrl url;
};

/// Fetches what a stranger's URL names, from public places only. Every address that a name resolves to is judged, the
/// connection goes to a judged address and to no other, and each redirect is judged anew. No cookies, credentials,
/// proxies or kept connections; nothing compressed is accepted. The bytes are whole, but nobody has looked at them.
/// Thread: any, several at once.
class ImageFetcher {
public:
    /// Throws Poco::FileException when the certificates cannot be read.
    ImageFetcher(FetchOptions options, AddressPolicy policy);
    /// With others, for tests.
    ImageFetcher(FetchOptions options, AddressPolicy policy, std::shared_ptr<const Resolver> resolver,
                 std::shared_ptr<const Connector> connector);
    ~ImageFetcher();

    /// Ends after FetchOptions::timeout, or with `limit` when that is sooner. Throws FetchError.
    FetchedImage fetch(const ImageUrl& url, const TimeLimit& limit) const;

    /// Refuses what can be refused without the network: the port, an address, a name of an inner network.
    /// Throws FetchError (Address).
    void judge(const ImageUrl& url) const;

private:
    HttpResponse request(const ImageUrl& url, const TimeLimit& limit) const;
    /// Judged, IPv4 first.
    std::vector<Poco::Net::IPAddress> addressesOf(const UrlHost& host, const TimeLimit& limit) const;

    const FetchOptions _options;
    const AddressPolicy _policy;
    const std::shared_ptr<const Resolver> _resolver;
    const HttpTransport _transport;
};

} // namespace supplierd::media
