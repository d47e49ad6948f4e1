#include "host/gate/ForwardedClient.h"

#include "host/gate/HeaderSyntax.h"

#include <algorithm>
#include <optional>

namespace supplierd::host {

namespace {

using Poco::Net::IPAddress;

/// What one proxy says of where a request came to it from.
struct Hop {
    std::string_view address;
    std::string_view scheme; ///< empty: it does not say
};

/// Nothing that a proxy saw on an interface of its own means anything here.
std::optional<IPAddress> parseHop(std::string_view text) {
    return text.find('%') == std::string_view::npos ? parseAddress(text) : std::nullopt;
}

std::vector<Hop> splitList(std::string_view list) {
    std::vector<Hop> hops;
    for (;;) {
        const auto comma = list.find(',');
        if (const auto element = trimmed(list.substr(0, comma)); !element.empty())
            hops.push_back({element, {}});
        if (comma == std::string_view::npos)
            return hops;
        list.remove_prefix(comma + 1);
    }
}

/// The position behind the quoted text that begins at `at`; npos when it does not end.
std::size_t quotedEnd(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return std::string_view::npos;
}

/// Up to the next separator outside of quotes; nothing when a quote does not end.
std::optional<std::string_view> nextPart(std::string_view& text, char separator) {
    std::size_t at = 0;
    while (at < text.size() && text[at] != separator) {
        at = text[at] == '"' ? quotedEnd(text, at) : at + 1;
        if (at == std::string_view::npos)
            return std::nullopt;
    }
    const auto part = trimmed(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

std::string_view withoutQuotes(std::string_view value) {
    const bool isQuoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return isQuoted ? value.substr(1, value.size() - 2) : value;
}

/// A node of RFC 7239 without its brackets and port.
std::string_view addressOf(std::string_view node) {
    if (node.empty() || node.front() != '[')
        return node.substr(0, node.find(':'));
    const auto end = node.find(']');
    return end == std::string_view::npos ? std::string_view() : node.substr(1, end - 1);
}

/// Of one element: for=192.0.2.60;proto=http. Nothing when it is none.
std::optional<Hop> parseElement(std::string_view element) {
    Hop hop;
    while (!element.empty()) {
        const auto pair = nextPart(element, ';');
        if (!pair)
            return std::nullopt;
        if (pair->empty())
            continue;
        const auto equals = pair->find('=');
        if (equals == std::string_view::npos || !isToken(pair->substr(0, equals)))
            return std::nullopt;
        const auto name = pair->substr(0, equals);
        const auto value = withoutQuotes(pair->substr(equals + 1));
        if (equalsIgnoringCase(name, "for"))
            hop.address = addressOf(value);
        else if (equalsIgnoringCase(name, "proto"))
            hop.scheme = value;
    }
    return hop;
}

/// Empty when any element is broken: then nobody knows where one ends.
std::vector<Hop> splitForwarded(std::string_view list) {
    std::vector<Hop> hops;
    while (!list.empty()) {
        const auto element = nextPart(list, ',');
        if (!element)
            return {};
        if (element->empty())
            continue;
        const auto hop = parseElement(*element);
        if (!hop)
            return {};
        hops.push_back(*hop);
    }
    return hops;
}

std::string_view lastElement(std::string_view list) {
    const auto comma = list.rfind(',');
    return trimmed(comma == std::string_view::npos ? list : list.substr(comma + 1));
}

std::string_view schemeOf(std::string_view said, std::string_view otherwise) {
    if (said.empty())
        return otherwise;
    return equalsIgnoringCase(said, "https") ? "https" : "http";
}

void append(std::string& list, std::string_view line) {
    if (!list.empty())
        list += ',';
    list += line;
}

} // namespace

void ForwardedFields::add(std::string_view name, std::string_view value) {
    if (_source == ForwardedSource::Forwarded) {
        if (equalsIgnoringCase(name, "forwarded"))
            append(_addresses, value);
    } else if (equalsIgnoringCase(name, "x-forwarded-for"))
        append(_addresses, value);
    else if (equalsIgnoringCase(name, "x-forwarded-proto"))
        _scheme = value;
}

ForwardedClient ForwardedClient::find(const IPAddress& peer, std::string_view ownScheme, const ForwardedFields& fields,
                                      const std::vector<AddressRange>& trustedProxies) {
    ForwardedClient client{withoutMapping(peer), schemeOf(ownScheme, "http")};
    if (!isTrustedProxy(peer, trustedProxies))
        return client;
    const bool isForwarded = fields._source == ForwardedSource::Forwarded;
    const auto hops = isForwarded ? splitForwarded(fields._addresses) : splitList(fields._addresses);
    if (!isForwarded)
        client.scheme = schemeOf(lastElement(fields._scheme), client.scheme);
    for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
        client.scheme = schemeOf(hop->scheme, client.scheme);
        const auto address = parseHop(hop->address);
        if (!address)
            break;
        client.address = withoutMapping(*address);
        if (!isTrustedProxy(client.address, trustedProxies))
            break;
    }
    return client;
}

bool isTrustedProxy(const IPAddress& address, const std::vector<AddressRange>& trustedProxies) {
    return std::any_of(trustedProxies.begin(), trustedProxies.end(),
                       [&](const auto& range) { return range.contains(address); });
}

} // namespace supplierd::host
