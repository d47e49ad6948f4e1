#pragma once

#include "AddressPolicy.h"
#include "Connector.h"
#include "ImageUrl.h"
#include "ResponseReader.h"
#include "TimeLimit.h"
#include "TrustedCertificates.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::media {

/// HTTP over libcurl, one request a connection, which goes to a judged address and to no other: without redirects,
/// cookies, credentials, proxies, name look-ups or anything of the environment. Thread: any, several at once.
class HttpTransport {
public:
    struct Request {
        const ImageUrl& url;
        /// Of its host, judged; tried one after the other.
        const std::vector<Poco::Net::IPAddress>& addresses;
        const std::string& userAgent;
        /// "Name: value".
        const std::vector<std::string>& fields;
        std::uint64_t maxBytes;
    };

    /// Throws Poco::FileException when the certificates cannot be read.
    HttpTransport(const std::filesystem::path& trustedCertificates, AddressPolicy policy,
                  std::shared_ptr<const Connector> connector);

    /// `connectLimit` is for TCP, which all addresses share evenly, and TLS together. Throws FetchError.
    HttpResponse get(const Request& request, const TimeLimit& connectLimit, const TimeLimit& limit) const;

private:
    class Exchange;

    const TrustedCertificates _trusted;
    const AddressPolicy _policy;
    const std::shared_ptr<const Connector> _connector;
};

} // namespace supplierd::media
