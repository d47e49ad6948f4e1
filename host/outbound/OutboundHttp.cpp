#include "host/outbound/OutboundHttp.h"

#include "host/outbound/DnsResolver.h"
#include "host/outbound/HttpUrl.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace supplierd::host {

using Poco::Net::IPAddress;

namespace {

constexpr std::array<std::string_view, 7> OWN_FIELDS{
    "host", "user-agent", "accept-encoding", "connection", "content-length", "transfer-encoding", "expect"};

bool isFieldName(std::string_view name) {
    const auto isToken = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    };
    return !name.empty() && std::ranges::all_of(name, isToken);
}

/// A line end in a value would begin another field.
bool isFieldValue(std::string_view value) {
    return std::ranges::none_of(
        value, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

/// Who names what is asked for says that it may come twice (draft-ietf-httpapi-idempotency-key-header, Standard
/// Webhooks): so it may go to a connection that the other side could be closing at this moment.
bool isRepeatable(const std::vector<HttpField>& fields) {
    return std::ranges::any_of(fields, [](const HttpField& field) {
        const std::string name = lowerCase(field.name);
        return name == "idempotency-key" || name == "webhook-id";
    });
}

std::vector<HttpField> withOwnFields(std::vector<HttpField> fields) {
    for (const auto& field : fields)
        if (!isFieldName(field.name) || !isFieldValue(field.value) ||
            std::ranges::find(OWN_FIELDS, lowerCase(field.name)) != OWN_FIELDS.end())
            throw std::invalid_argument("no request may have the header '" + field.name + "'");
    fields.push_back({"Accept-Encoding", "identity"});
    if (!isRepeatable(fields))
        fields.push_back({"Connection", "close"});
    return fields;
}

std::vector<HttpField> forAnotherOrigin(std::vector<HttpField> fields) {
    std::erase_if(fields, [](const HttpField& field) { return lowerCase(field.name) != "accept"; });
    return withOwnFields(std::move(fields));
}

std::string locationOf(const HttpResponse& response, const std::string& server) {
    const auto isLocation = [](const HttpField& field) { return lowerCase(field.name) == "location"; };
    const auto location = std::ranges::find_if(response.headers, isLocation);
    // A header in RFC 2047 words is read in two ways, and neither is a URL.
    if (std::ranges::count_if(response.headers, isLocation) != 1 || location->value.starts_with("=?"))
        throw HttpError(HttpErrorCode::Protocol, server + " redirects to nowhere");
    return location->value;
}

} // namespace

OutboundHttp::OutboundHttp(HttpRules rules)
    : OutboundHttp(std::move(rules), std::make_shared<DnsResolver>(), std::make_shared<Connector>()) {}

OutboundHttp::OutboundHttp(HttpRules rules, std::shared_ptr<const Resolver> resolver,
                           std::shared_ptr<const Connector> connector, const IdleLimits& idleLimits)
    : _rules(std::move(rules)),
      _policy(_rules.allowNetworks),
      _resolver(std::move(resolver)),
      _connector(std::move(connector)),
      _transport(_rules.trustedCertificatesFile, _policy, _connector, idleLimits) {}

HttpResponse OutboundHttp::send(const HttpRequest& request) const {
    const TimeLimit limit(TimeLimit::Clock::now() + request.timeout, request.stop);
    HttpUrl url = HttpUrl::parse(request.url);
    std::vector<HttpField> fields = withOwnFields(request.headers);
    const unsigned maxRedirects = request.method == Method::Get ? request.maxRedirects : 0;
    for (unsigned redirects = 0;; ++redirects) {
        HttpResponse response = this->request(request, url, fields, limit);
        if (maxRedirects == 0 || !isRedirect(response.status)) {
            response.url = url.toString();
            return response;
        }
        const std::string location = locationOf(response, request.peerName);
        if (redirects == maxRedirects)
            throw HttpError(HttpErrorCode::Protocol,
                            request.peerName + " redirects more than " + std::to_string(redirects) + " times");
        const HttpUrl next = url.resolve(location);
        if (!next.hasOriginOf(url))
            fields = forAnotherOrigin(std::move(fields));
        url = next;
    }
}

void OutboundHttp::check(std::string_view url) const {
    check(HttpUrl::parse(url));
}

std::unique_ptr<HttpClient> OutboundHttp::withRules(const HttpRules& rules) const {
    return std::make_unique<OutboundHttp>(rules, _resolver, _connector);
}

HttpResponse OutboundHttp::request(const HttpRequest& request, const HttpUrl& url, const std::vector<HttpField>& fields,
                                   const TimeLimit& limit) const {
    check(url);
    const auto addresses = addressesOf(url.host(), limit);
    const bool hasBody = !request.body.empty() || (request.method != Method::Get && request.method != Method::Delete);
    const bool followsRedirects = request.method == Method::Get && request.maxRedirects > 0;
    const HttpTransport::Request toSend{
        std::string(methodName(request.method)),
        url,
        addresses,
        _rules.userAgent,
        fields,
        hasBody ? &request.body : nullptr,
        {request.maxResponseBytes, request.onlyBodyOfStatus, followsRedirects, request.peerName, request.truncatesBody},
        request.idleTimeout,
        isRepeatable(fields)};
    if (toSend.keepsConnection)
        if (auto response = _transport.sendOnKept(toSend, limit))
            return std::move(*response);
    return _transport.send(toSend, limit.atMost(_rules.connectTimeout), limit);
}

void OutboundHttp::check(const HttpUrl& url) const {
    const UrlHost& host = url.host();
    if (host.address() ? !_policy.allows(*host.address()) : host.isInternalName() && !_policy.allowsInternalNames())
        throw addressNotAllowed();
    if (std::ranges::find(_rules.allowPorts, url.port()) == _rules.allowPorts.end())
        throw HttpError(HttpErrorCode::Address, "port " + std::to_string(url.port()) + " is not allowed");
}

std::vector<IPAddress> OutboundHttp::addressesOf(const UrlHost& host, const TimeLimit& limit) const {
    if (host.address())
        return {*host.address()};
    auto addresses = _resolver->resolve(host.text(), limit.atMost(_rules.connectTimeout));
    // One bad address spoils the name: it would be a lottery otherwise, which the name's owner draws.
    if (!std::ranges::all_of(addresses, [&](const IPAddress& address) { return _policy.allows(address); }))
        throw addressNotAllowed();
    std::ranges::stable_partition(addresses,
                                  [](const IPAddress& address) { return address.family() == IPAddress::IPv4; });
    return addresses;
}

} // namespace supplierd::host
