#include "host/http/pipeline/Admission.h"

#include "host/gate/ForwardedClient.h"
#include "host/http/ControlListener.h"
#include "host/http/RequestBody.h"
#include "host/http/RequestParsing.h"

namespace supplierd::host {

namespace {

void findClient(Exchange& exchange, const ServerSettings& settings) {
    if (exchange.channel.localUser()) {
        exchange.client = "local";
        return;
    }
    ForwardedFields fields(settings.forwardedHeader);
    if (!settings.trustedProxies.empty())
        for (const auto& field : exchange.channel.head().fields)
            fields.add(field.name, field.value);
    if (exchange.channel.isSecure())
        exchange.scheme = "https";
    const auto client = ForwardedClient::find(exchange.request.clientAddress().host(), exchange.scheme, fields,
                                              settings.trustedProxies);
    exchange.client = client.address.toString();
    exchange.scheme = client.scheme;
}

ApiError limitExceeded(std::int64_t limit, std::int64_t secondsLeft) {
    return ApiError(ErrorKind::RateLimited, "Rate limit exceeded: " + std::to_string(limit) + " requests per hour")
        .withRetryAfter(static_cast<int>(secondsLeft));
}

/// Tells browsers never to come by plain HTTP; empty: tells them nothing.
std::string hstsOf(const ServerSettings& settings) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(settings.hsts).count();
    return age == 0 ? std::string() : "max-age=" + std::to_string(age);
}

} // namespace

Admission::Admission(const PipelineParts& parts)
    : _parts(parts), _hsts(hstsOf(parts.settings.server)), _publicLimiter(parts.settings.rateLimit.publicPerMinute) {
    _publicLimiter.share(parts.counts, "public");
}

void Admission::admit(Exchange& exchange) {
    findClient(exchange, _parts.settings.server);
    if (exchange.scheme == "https")
        exchange.hsts = _hsts;
    exchange.target = RequestTarget::parse(exchange.channel.head().target);
    exchange.audience = audienceOf(exchange.target.segments);
    if (const auto user = exchange.channel.localUser())
        admitLocalUser(exchange, *user);
    else
        authenticate(exchange);
    if (exchange.key && !exchange.isSignedIn && !exchange.isLocal)
        limitRate(exchange);
    if (exchange.key && _parts.observers.any())
        exchange.observed = &_parts.observers.wanted();
    exchange.match = _parts.router.find(exchange.request.getMethod(), exchange.target.segments);
    if (!exchange.isLocal && (!exchange.key || exchange.isSignedIn))
        limitAddress(exchange);
    checkRoute(exchange);
    exchange.bodyLimit = bodyLimit(exchange);
    checkBody(exchange.request, exchange.channel, exchange.match.handler->route, exchange.bodyLimit);
}

std::uint64_t Admission::bodyLimit(const Exchange& exchange) const {
    /// Of those who have not shown who they are, unless the route says otherwise.
    constexpr std::int64_t OF_STRANGERS = 16'384;
    const auto ofRoute = exchange.match.handler->route.maxBody;
    const auto ofServer = _parts.settings.server.bodyLimit;
    if (ofRoute > 0)
        return static_cast<std::uint64_t>(ofRoute);
    return static_cast<std::uint64_t>(exchange.key ? ofServer : std::min(ofServer, OF_STRANGERS));
}

/// Who may open the control socket may do what operators may; nothing that the request says is believed for it.
void Admission::admitLocalUser(Exchange& exchange, unsigned user) {
    exchange.isLocal = true;
    if (exchange.audience == Audience::Public)
        return;
    if (exchange.audience != Audience::Operator)
        throw ApiError::notFound("Only the operators' API is served at the control socket");
    auto record = std::make_shared<KeyRecord>();
    record->principal.isOperator = true;
    record->principal.hasAllScopes = true;
    record->principal.keyPrefix =
        localActor(user, exchange.request.get("X-Local-User", "")); // the audit log's name for who did it
    exchange.key = std::move(record);
}

void Admission::authenticate(Exchange& exchange) {
    if (_parts.requestAuthenticators.serve(exchange.audience) && !exchange.request.has("Authorization")) {
        exchange.key = _parts.requestAuthenticators.authenticate(exchange.audience, HttpRequestHead(exchange));
        exchange.isSignedIn = exchange.key != nullptr;
        exchange.database.atPresent(); // it may have asked anything
    }
    if (exchange.isSignedIn || exchange.audience == Audience::Public)
        return;
    try {
        _parts.authenticator.authenticate(
            exchange.request.get("Authorization", ""), exchange.audience, exchange.client,
            [&](std::int64_t supplierId) { return exchange.database.accounts(supplierId); }, &exchange.key);
    } catch (const ApiError& error) {
        if (error.kind() == ErrorKind::Unauthorized)
            _parts.metrics.authFailures("unauthorized").Increment();
        else if (error.kind() == ErrorKind::Forbidden)
            _parts.metrics.authFailures(error.details().front().code).Increment();
        else if (error.kind() == ErrorKind::RateLimited)
            _parts.metrics.authFailures("address_limited").Increment();
        throw;
    }
    if (exchange.key->readAt >= exchange.channel.queuedAt())
        exchange.database.atPresent(); // whoever was let in just now sees what was done before that
}

void Admission::limitRate(Exchange& exchange) {
    const auto& key = *exchange.key;
    const auto limit = key.hourlyLimit > 0 ? key.hourlyLimit : _parts.settings.rateLimit.requestsPerHour;
    // A key that has more than all of a supplier's together was given that by an operator.
    const auto ofSupplier = _parts.settings.rateLimit.ofSupplier();
    const bool isShared = key.principal.supplierId != 0 && limit <= ofSupplier;
    const SupplierLimit supplier{key.principal.supplierId, isShared ? ofSupplier : 0};
    _parts.rateLimiter.learn(_parts.database.atWriter(), key.principal.keyId, supplier);
    exchange.rateLimit = _parts.rateLimiter.count(key.principal.keyId, limit, supplier);
    if (exchange.rateLimit->allowed)
        return;
    _parts.metrics.rateLimited().Increment();
    throw limitExceeded(exchange.rateLimit->limit, exchange.rateLimit->secondsLeft);
}

/// Of requests that no key is counted for.
void Admission::limitAddress(const Exchange& exchange) {
    const auto* handler = exchange.match.handler;
    const bool isFree = handler && handler->route.audience == Audience::Public && handler->route.perMinute < 0;
    auto& limiter = handler && handler->limiter ? *handler->limiter : _publicLimiter;
    if (isFree || (&limiter == &_publicLimiter && _parts.settings.rateLimit.publicPerMinute == 0))
        return;
    const int seconds = limiter.take(exchange.client);
    if (seconds == 0)
        return;
    _parts.metrics.rateLimited().Increment();
    throw ApiError(ErrorKind::RateLimited, "Too many requests from this address").withRetryAfter(seconds);
}

void Admission::checkRoute(const Exchange& exchange) {
    if (!exchange.match.handler) {
        if (exchange.match.allow.empty())
            throw ApiError::notFound("There is nothing at this path");
        throw ApiError(ErrorKind::MethodNotAllowed, "This path allows " + exchange.match.allow);
    }
    const auto& scope = exchange.match.handler->route.scope;
    if (!exchange.key && !scope.empty())
        throw ApiError(ErrorKind::Unauthorized, "Sign in first");
    if (exchange.key && !exchange.key->principal.hasScope(scope)) {
        const std::string message =
            (exchange.isSignedIn ? "This user lacks the scope '" : "This API key lacks the scope '") + scope + "'";
        throw ApiError(ErrorKind::Forbidden, message, {{"", "scope", message}});
    }
}

} // namespace supplierd::host
