#pragma once

#include "host/outbound/AddressPolicy.h"
#include "host/outbound/Connector.h"
#include "host/outbound/HttpUrl.h"
#include "host/outbound/ResponseReader.h"
#include "host/outbound/TimeLimit.h"
#include "host/outbound/TrustedCertificates.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::host {

/// HTTP over libcurl, one request a connection, which goes to a judged address and to no other: without redirects,
/// cookies, credentials, proxies, name look-ups or anything of the environment. Thread: any, several at once.
class HttpTransport {
public:
    struct Request {
        std::string method;
        const HttpUrl& url;
        /// Of its host, judged; tried one after the other.
        const std::vector<Poco::Net::IPAddress>& addresses;
        std::string userAgent;
        const std::vector<HttpField>& fields;
        /// Null: none.
        const std::string* body;
        ResponseWishes wishes;
        std::chrono::milliseconds idleTimeout;
    };

    /// Throws Poco::FileException when the certificates cannot be read.
    HttpTransport(const std::filesystem::path& trustedCertificates, AddressPolicy policy,
                  std::shared_ptr<const Connector> connector);

    /// `connectLimit` is for TCP, which all addresses share evenly, and TLS together. Throws HttpError.
    HttpResponse send(const Request& request, const TimeLimit& connectLimit, const TimeLimit& limit) const;

private:
    class Exchange;

    const TrustedCertificates _trusted;
    const AddressPolicy _policy;
    const std::shared_ptr<const Connector> _connector;
};

} // namespace supplierd::host
