#include "host/http/pipeline/CorsPolicy.h"

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr std::string_view ANY = "*";
constexpr std::string_view VARY_ORIGIN = "Vary: Origin\r\n";
/// What a page may read besides the fields that it may read of every response.
constexpr std::string_view EXPOSED =
    "Access-Control-Expose-Headers: Accept-Ranges, Allow, Content-Range, ETag, Idempotent-Replayed, Location, "
    "Retry-After, "
    "X-Change-Seq, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Sandbox\r\n";
/// A browser remembers it for two hours at most; so a changed configuration is known within ten minutes.
constexpr std::string_view PERMISSIONS = "Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE\r\n"
                                         "Access-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, "
                                         "If-Match, If-None-Match, If-Range, Range, "
                                         "X-Request-Id\r\n"
                                         "Access-Control-Max-Age: 600\r\n";

bool isOfApi(std::string_view target) {
    return target.starts_with("/api/");
}

std::string concat(std::initializer_list<std::string_view> parts) {
    std::string whole;
    for (const auto part : parts)
        whole += part;
    return whole;
}

} // namespace

CorsPolicy::CorsPolicy(const std::vector<std::string>& origins) {
    const bool isAny = std::find(origins.begin(), origins.end(), ANY) != origins.end();
    if (!isAny && !origins.empty())
        _otherFields = VARY_ORIGIN;
    for (const auto& origin : isAny ? std::vector<std::string>{std::string(ANY)} : origins) {
        const auto allow = concat({_otherFields, "Access-Control-Allow-Origin: ", origin, "\r\n"});
        _allowed.push_back({origin, concat({allow, EXPOSED}), concat({allow, PERMISSIONS})});
    }
}

const CorsPolicy::Allowed* CorsPolicy::find(std::string_view origin) const {
    const auto found = std::find_if(_allowed.begin(), _allowed.end(), [&](const auto& allowed) {
        return allowed.origin == origin || allowed.origin == ANY;
    });
    return found == _allowed.end() ? nullptr : &*found;
}

std::string_view CorsPolicy::fields(const CheckedHead& head) const {
    if (_allowed.empty() || !isOfApi(head.target))
        return {};
    const auto origin = head.origin;
    const auto* allowed = origin.empty() ? nullptr : find(origin);
    return allowed ? allowed->fields : _otherFields;
}

bool CorsPolicy::isPreflight(const CheckedHead& head) const {
    return !_allowed.empty() && head.method == "OPTIONS" && !head.origin.empty() && isOfApi(head.target) &&
           head.fields.find("access-control-request-method").data() != nullptr;
}

std::string_view CorsPolicy::preflightFields(std::string_view origin) const {
    const auto* allowed = find(origin);
    return allowed ? allowed->preflightFields : _otherFields;
}

} // namespace supplierd::host
