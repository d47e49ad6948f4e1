#pragma once

#include "host/gate/RequestHeadCheck.h"

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Which web pages of other origins may call the API, and nothing else that is served here, from a browser (the Fetch
/// standard's CORS), by configuration.
/// Never with cookies: a page calls with a key of its own. Nothing of a request is repeated in a response: an origin
/// that is allowed stands there as it was configured. Thread: any.
class CorsPolicy {
public:
    /// As in server.cors_origins; none: nothing is said about origins at all.
    explicit CorsPolicy(const std::vector<std::string>& origins);

    /// Whole lines for any response to the request; empty for one outside the API.
    std::string_view fields(const CheckedHead& head) const;
    /// A browser asks whether a request to the API would be allowed. False when no origin is configured.
    bool isPreflight(const CheckedHead& head) const;
    /// Whether it would, and then the lines of the answer.
    bool allows(std::string_view origin) const { return find(origin) != nullptr; }
    std::string_view preflightFields(std::string_view origin) const;

private:
    struct Allowed {
        std::string origin;
        std::string fields;
        std::string preflightFields;
    };

    const Allowed* find(std::string_view origin) const;

    std::vector<Allowed> _allowed; ///< "*" alone, or each origin
    std::string _otherFields;      ///< of every other origin
};

} // namespace supplierd::host
