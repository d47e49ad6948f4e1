#pragma once

#include "host/outbound/AddressPolicy.h"
#include "host/outbound/HttpUrl.h"
#include "host/outbound/ResponseReader.h"
#include "host/outbound/TimeLimit.h"
#include "host/outbound/TrustedCertificates.h"

#include <Poco/Net/SocketAddress.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

/// Says where a connection to a checked address goes: there. Tests lead it elsewhere. Thread: any, several at once.
class Connector {
public:
    virtual ~Connector() = default;

    /// Throws HttpError (Connect) to refuse.
    virtual Poco::Net::SocketAddress destination(const Poco::Net::SocketAddress& checked) const { return checked; }
};

/// How many connections without a request are kept, and for how long.
struct IdleLimits {
    /// Less than the five seconds after which many servers close theirs.
    std::chrono::milliseconds idle{4'000};
    /// Of a connection with all of its requests.
    std::chrono::milliseconds age{60'000};
    /// To one scheme, host, port and address.
    std::size_t perPlace = 16;
    std::size_t all = 128;
};

class HttpConnection;
class IdleConnections;

/// HTTP over libcurl, one request at a time on a connection, which goes to a checked address and to no other: without
/// redirects, cookies, credentials, proxies, name look-ups or anything of the environment. Thread: any, several at
/// once.
class HttpTransport {
public:
    struct Request {
        std::string method;
        const HttpUrl& url;
        /// Of its host, checked; tried one after the other.
        const std::vector<Poco::Net::IPAddress>& addresses;
        std::string userAgent;
        const std::vector<HttpField>& headers;
        /// Null: none.
        const std::string* body;
        ResponseWishes wishes;
        std::chrono::milliseconds idleTimeout;
        /// The connection may serve others like it afterwards.
        bool keepsConnection = false;
    };

    /// Throws std::runtime_error when the certificates cannot be read.
    HttpTransport(const std::filesystem::path& trustedCertificates, AddressPolicy policy,
                  std::shared_ptr<const Connector> connector, const IdleLimits& idleLimits = {});
    ~HttpTransport();
    HttpTransport(const HttpTransport&) = delete;
    HttpTransport& operator=(const HttpTransport&) = delete;

    /// On a connection that an earlier request has left. Nothing: there is none, or it broke before anything of the
    /// response came: whoever has the other side may have got the request all the same. Throws HttpError.
    std::optional<HttpResponse> sendOnKept(const Request& request, const TimeLimit& limit) const;
    /// On a new connection. `connectLimit` is for TCP, which all addresses share evenly, and TLS together. Throws
    /// HttpError.
    HttpResponse send(const Request& request, const TimeLimit& connectLimit, const TimeLimit& limit) const;

private:
    class Transfer;

    /// Keeps the connection, if it may be.
    HttpResponse finish(Transfer& transfer, HttpResponse response) const;

    const TrustedCertificates _trusted;
    const AddressPolicy _policy;
    const std::shared_ptr<const Connector> _connector;
    const std::unique_ptr<IdleConnections> _idle;
};

} // namespace supplierd::host
