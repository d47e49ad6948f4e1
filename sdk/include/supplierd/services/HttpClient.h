#pragma once

#include <supplierd/Abi.h>
#include <supplierd/AddressNetwork.h>
#include <supplierd/Request.h>
#include <supplierd/StopSignal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Why there is no response.
enum class HttpErrorCode : std::uint8_t {
    Address, ///< the URL is not valid, or leads where the rules forbid: an address, an inner name, a port
    Dns,
    Connect, ///< no connection, or it broke
    Tls,
    Timeout,
    Protocol, ///< what came is not valid HTTP, or redirects lead nowhere or too far
    TooLarge,
    Encoded, ///< compressed, which was not asked for
    Damaged, ///< the body ended early
    Stopped
};

/// what() is fit for whoever gave the URL: it names no address and nothing of this machine. Since 1.0.
class SUPPLIERD_API HttpError : public std::runtime_error {
public:
    HttpError(HttpErrorCode code, const std::string& text) : std::runtime_error(text), _code(code) {}
    HttpErrorCode code() const noexcept { return _code; }

private:
    HttpErrorCode _code;
    Reserved _reserved;
};

/// A header of a request or a response.
struct SUPPLIERD_API HttpField {
    std::string name;
    std::string value;
};

/// Where a client may go. Since 1.0.
struct SUPPLIERD_API HttpRules {
    /// Besides public addresses. Who gives the URLs can then make this server ask whatever listens there.
    std::vector<AddressNetwork> allowNetworks = {};
    std::vector<std::uint16_t> allowPorts = {80, 443};
    /// A PEM file instead of the system's store; the path of a file that can be read, or empty.
    std::string trustedCertificatesFile = {};
    std::string userAgent = "supplierd";
    /// For looking a name up, and once more for TCP and TLS together; each anew for every redirect.
    std::chrono::milliseconds connectTimeout{5'000};
    Reserved reserved = {};
};

/// One request with its limits. Since 1.0.
struct SUPPLIERD_API HttpRequest {
    Method method = Method::Get;
    /// http or https; without credentials.
    std::string url;
    /// Host, User-Agent, Accept-Encoding, Connection, Content-Length, Transfer-Encoding and Expect are the client's.
    std::vector<HttpField> headers = {};
    std::string body = {};

    /// For all of it, with redirects.
    std::chrono::milliseconds timeout{20'000};
    /// How long a connected server may send nothing; 0: as long as `timeout`.
    std::chrono::milliseconds idleTimeout{0};
    /// So many bytes of a body are accepted, one more is not.
    std::uint64_t maxResponseBytes = 1'048'576;
    /// Of a longer body the first `maxResponseBytes` are the body, and the rest is left unread.
    bool truncatesBody = false;
    /// Followed for GET alone; each is judged like the first URL, and of the headers only Accept goes to another
    /// origin. 0: a redirect is a response like others.
    unsigned maxRedirects = 0;
    /// The body of a response with another status is not read; 0: that of every one is.
    int onlyBodyOfStatus = 0;
    /// How texts of errors call the other side.
    std::string peerName = "the server";
    /// Ends the request when it is raised.
    const StopSignal* stop = nullptr;
    Reserved reserved = {};
};

/// Since 1.0.
struct SUPPLIERD_API HttpResponse {
    int status = 0;
    /// In their order, as they came.
    std::vector<HttpField> headers = {};
    std::string body = {};
    /// Where redirects led.
    std::string url = {};
    Reserved reserved = {};

    /// The first of that name, however it is written.
    std::optional<std::string_view> header(std::string_view name) const {
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
        for (const auto& candidate : headers)
            if (std::ranges::equal(candidate.name, name, {}, lower, lower))
                return candidate.value;
        return std::nullopt;
    }
};

/// HTTP requests to other servers, whoever gave the URL: only to public addresses, and those that the rules add. Every
/// address that a name resolves to is judged, and the connection goes to a judged one and to no other. No cookies,
/// proxies and credentials of the environment. Each request has a connection of its own, but those with Idempotency-Key
/// or webhook-id, which may come twice. HTTP/1.1, TLS 1.2 or newer with checked certificates. A service of the host.
/// Thread: any, several at once. Lifetime: until Plugin::stop() returns; what withRules() made ends before. Since 1.0.
class SUPPLIERD_API HttpClient {
public:
    static constexpr std::string_view ID = "supplierd.http-client/1";

    virtual ~HttpClient() = default;

    /// Waits for the whole response, of any status. Throws HttpError, and std::invalid_argument for headers that no
    /// request may have. Not to be called within a transaction: other servers take their time.
    virtual HttpResponse send(const HttpRequest& request) const = 0;

    /// Refuses what can be refused without the network. Throws HttpError (Address).
    virtual void check(std::string_view url) const = 0;

    /// A client with rules of its own, instead of the defaults. Throws std::runtime_error when the certificates cannot
    /// be read.
    virtual std::unique_ptr<HttpClient> withRules(const HttpRules& rules) const = 0;
};

} // namespace supplierd
