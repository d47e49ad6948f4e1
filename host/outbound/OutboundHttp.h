#pragma once

#include "host/outbound/DnsResolver.h"
#include "host/outbound/HttpTransport.h"

#include <supplierd/services/HttpClient.h>

namespace supplierd::host {

/// The service HttpClient: checks URLs, addresses and redirects, and leaves the rest to HttpTransport. Thread: any.
class OutboundHttp final : public HttpClient {
public:
    /// With DnsResolver. Throws std::runtime_error when the certificates cannot be read.
    explicit OutboundHttp(HttpRules rules = {});
    /// With others, for tests.
    OutboundHttp(HttpRules rules, std::shared_ptr<const Resolver> resolver, std::shared_ptr<const Connector> connector,
                 const IdleLimits& idleLimits = {});

    HttpResponse send(const HttpRequest& request) const override;
    void check(std::string_view url) const override;
    std::unique_ptr<HttpClient> withRules(const HttpRules& rules) const override;

private:
    HttpResponse request(const HttpRequest& request, const HttpUrl& url, const std::vector<HttpField>& fields,
                         const TimeLimit& limit) const;
    void check(const HttpUrl& url) const;
    /// Checked, IPv4 first.
    std::vector<Poco::Net::IPAddress> addressesOf(const UrlHost& host, const TimeLimit& limit) const;

    const HttpRules _rules;
    const AddressPolicy _policy;
    const std::shared_ptr<const Resolver> _resolver;
    const std::shared_ptr<const Connector> _connector;
    const HttpTransport _transport;
};

} // namespace supplierd::host
