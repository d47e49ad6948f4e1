#include "host/http/ClientAddress.h"

#include <Poco/String.h>
#include <Poco/StringTokenizer.h>

#include <algorithm>
#include <optional>

namespace supplierd::host {

namespace {

/// All lines of the field, joined in their order: some proxies append to the client's line, others add one of their
/// own.
std::string forwardedFor(const Poco::Net::HTTPRequest& request) {
    std::string joined;
    for (const auto& [name, value] : request)
        if (Poco::icompare(name, "X-Forwarded-For") == 0)
            joined += (joined.empty() ? "" : ",") + value;
    return joined;
}

bool isTrusted(const Poco::Net::IPAddress& address, const std::vector<AddressRange>& proxies) {
    return std::any_of(proxies.begin(), proxies.end(), [&](const auto& range) { return range.contains(address); });
}

/// Nothing that a proxy saw on an interface of its own means anything here.
std::optional<Poco::Net::IPAddress> parseHop(const std::string& text) {
    return text.find('%') == std::string::npos ? parseAddress(text) : std::nullopt;
}

} // namespace

std::string clientAddress(const Poco::Net::IPAddress& peer, const Poco::Net::HTTPRequest& request,
                          const std::vector<AddressRange>& trustedProxies) {
    if (trustedProxies.empty() || !isTrusted(peer, trustedProxies))
        return withoutMapping(peer).toString();
    auto client = peer;
    const Poco::StringTokenizer hops(forwardedFor(request), ",",
                                     Poco::StringTokenizer::TOK_TRIM | Poco::StringTokenizer::TOK_IGNORE_EMPTY);
    for (auto i = hops.count(); i > 0; --i) {
        const auto hop = parseHop(hops[i - 1]);
        if (!hop)
            break;
        client = *hop;
        if (!isTrusted(client, trustedProxies))
            break;
    }
    return withoutMapping(client).toString();
}

std::string_view clientScheme(const Poco::Net::IPAddress& peer, const Poco::Net::HTTPRequest& request,
                              const std::vector<AddressRange>& trustedProxies) {
    if (trustedProxies.empty() || !isTrusted(peer, trustedProxies))
        return "http";
    std::string_view last;
    for (const auto& [name, value] : request)
        if (Poco::icompare(name, "X-Forwarded-Proto") == 0)
            last = value;
    last.remove_prefix(std::min(last.find_last_of(", ") + 1, last.size()));
    return Poco::icompare(std::string(last), "https") == 0 ? "https" : "http";
}

} // namespace supplierd::host
