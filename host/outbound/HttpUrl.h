#pragma once

#include "host/outbound/UrlHost.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::host {

/// An http or https URL that is fit to be asked, as far as its text tells: without credentials, control characters
/// and backslashes, and within MAX_LENGTH. Blanks and other scripts within path and query are percent-encoded; what is
/// encoded already stays so. A fragment is dropped. Ports and addresses are judged by OutboundHttp. A value type.
class HttpUrl {
public:
    static constexpr std::size_t MAX_LENGTH = 2048;

    /// Throws HttpError (Address) with a text that says what is wrong.
    static HttpUrl parse(std::string_view text);

    /// Where a `Location: reference` of this URL leads (RFC 3986, 5.2). Throws as parse() does.
    HttpUrl resolve(std::string_view reference) const;

    bool isSecure() const { return _isSecure; }
    const UrlHost& host() const { return _host; }
    std::uint16_t port() const { return _port; }
    /// Path and query as they go into the request line; begins with '/'.
    const std::string& target() const { return _target; }
    /// The value of the Host header: with the port unless it is the scheme's own.
    std::string authority() const;
    std::string toString() const;
    bool hasOriginOf(const HttpUrl& other) const;

private:
    HttpUrl(bool isSecure, UrlHost host, std::uint16_t port, std::string target);

    bool _isSecure;
    UrlHost _host;
    std::uint16_t _port;
    std::string _target;
};

} // namespace supplierd::host
