#pragma once

#include "host/config/AddressRange.h"
#include "host/http/Exchange.h"

#include <supplierd/RequestHead.h>

#include <vector>

namespace supplierd::host {

/// The head of an exchange's request as plugins see it. Lifetime and thread: the exchange's.
class HttpRequestHead final : public RequestHead {
public:
    HttpRequestHead(const Exchange& exchange, const std::vector<AddressRange>& trustedProxies)
        : _exchange(exchange), _trustedProxies(trustedProxies) {}

    std::string_view method() const override { return _exchange.request.getMethod(); }
    std::string_view path() const override { return _exchange.target.path; }
    std::string_view rawQuery() const override { return _exchange.target.query; }
    std::string_view requestId() const override { return _exchange.requestId; }
    std::optional<std::string_view> header(std::string_view name) const override;
    std::optional<std::string_view> cookie(std::string_view name) const override;
    std::string_view clientAddress() const override { return _exchange.client; }
    std::string_view scheme() const override;

private:
    const Exchange& _exchange;
    const std::vector<AddressRange>& _trustedProxies;
};

} // namespace supplierd::host
