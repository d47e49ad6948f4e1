#pragma once

#include <supplierd/HttpClient.h>

#include <Poco/Net/IPAddress.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

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

} // namespace supplierd::host
