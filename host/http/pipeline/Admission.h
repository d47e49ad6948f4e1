#pragma once

#include "host/http/pipeline/Exchange.h"
#include "host/http/pipeline/PipelineParts.h"

namespace supplierd::host {

/// What a request's head alone decides, once for each request: who calls, from where, how often, which route it is, and
/// how large its body may be. Thread: any.
class Admission {
public:
    explicit Admission(const PipelineParts& parts);

    /// Throws ApiError when the request is refused.
    void admit(Exchange& exchange);

private:
    static void admitLocalUser(Exchange& exchange, unsigned user);
    void authenticate(Exchange& exchange);
    void limitRate(Exchange& exchange);
    void limitAddress(const Exchange& exchange);
    static void checkRoute(const Exchange& exchange);
    std::uint64_t bodyLimit(const Exchange& exchange) const;

    const PipelineParts& _parts;
    const std::string _hsts; ///< empty: none
    AddressLimiter _publicLimiter;
};

} // namespace supplierd::host
