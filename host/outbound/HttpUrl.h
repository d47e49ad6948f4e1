#pragma once

#include <supplierd/services/HttpClient.h>

#include <Poco/Net/IPAddress.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// With the letters A to Z as small ones; every other byte as it is.
inline std::string lowerCase(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

/// The host of a URL: a DNS name or an address. A value type.
class UrlHost {
public:
    /// `text` as it stands in the URL, IPv6 in brackets. A name in other scripts is taken to its xn-- form (IDNA 2008,
    /// without mapping). Throws HttpError (Address) for what is neither, and for an IPv4 address that is not written
    /// as four plain decimal numbers (0x7f.1, 2130706433, 017700000001, 127.1, 127.0.0.1.): such forms hide something.
    static UrlHost parse(std::string_view text);

    /// Lower-case ASCII without a final dot; IPv6 in its canonical form, without brackets.
    const std::string& text() const { return _text; }
    /// The same with brackets around IPv6, as in a Host header.
    std::string bracketed() const;
    /// Set for an address, empty for a name.
    const std::optional<Poco::Net::IPAddress>& address() const { return _address; }
    /// A name that the public DNS does not hold: a single word, or below `localhost`, `internal`, `local` and the like.
    bool isInternalName() const;

private:
    UrlHost(std::string text, std::optional<Poco::Net::IPAddress> address);

    std::string _text;
    std::optional<Poco::Net::IPAddress> _address;
};

/// `address not allowed`: the host is, or resolves to, an address that must not be reached.
HttpError addressNotAllowed();

/// An http or https URL that is fit to be asked, as far as its text tells: without credentials, control characters
/// and backslashes, and within MAX_LENGTH. Blanks and other scripts within path and query are percent-encoded; what is
/// encoded already stays so. A fragment is dropped. Ports and addresses are checked by OutboundHttp. A value type.
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
