#include "host/http/HttpRequestHead.h"

#include "host/http/ClientAddress.h"

#include <supplierd/Cookies.h>

#include <Poco/String.h>

namespace supplierd::host {

std::optional<std::string_view> HttpRequestHead::header(std::string_view name) const {
    const auto found = _exchange.request.find(std::string(name));
    if (found == _exchange.request.end())
        return std::nullopt;
    return found->second;
}

/// Some clients send a line for each cookie.
std::optional<std::string_view> HttpRequestHead::cookie(std::string_view name) const {
    const auto& request = _exchange.request;
    for (auto line = request.find("Cookie"); line != request.end() && Poco::icompare(line->first, "Cookie") == 0;
         ++line)
        if (const auto value = findCookie(line->second, name))
            return value;
    return std::nullopt;
}

std::string_view HttpRequestHead::scheme() const {
    return clientScheme(_exchange.request.clientAddress().host(), _exchange.request, _trustedProxies);
}

} // namespace supplierd::host
