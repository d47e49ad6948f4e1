#pragma once

#include "host/auth/Authenticator.h"
#include "host/auth/RateLimiter.h"
#include "host/auth/RequestAuthenticators.h"
#include "host/config/Settings.h"
#include "host/db/PooledDatabase.h"
#include "host/gate/Refusals.h"
#include "host/http/CorsPolicy.h"
#include "host/http/Exchange.h"
#include "host/http/HeapTrimmer.h"
#include "host/http/IdempotencyStore.h"
#include "host/http/RequestBody.h"
#include "host/http/RequestContext.h"
#include "host/http/ResponseSample.h"
#include "host/http/Router.h"
#include "host/http/UnavailableLog.h"
#include "host/observe/AccessLog.h"
#include "host/observe/RequestObservers.h"
#include "host/observe/ServerMetrics.h"

#include <supplierd/Json.h>
#include <supplierd/Log.h>

#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Semaphore.h>

#include <atomic>

namespace supplierd::host {

/// What one request goes through: request id → authenticate → rate limit → route, which may refuse it by its head →
/// body → handler → envelope (or what is sent without one) → access log, metrics and observers. Whatever a handler
/// throws becomes an envelope, or its route's error page, here. Thread: any, one request per call.
class Pipeline {
public:
    struct Dependencies {
        const Settings& settings;
        PooledDatabase& database;
        Authenticator& authenticator;
        const RequestAuthenticators& requestAuthenticators;
        RateLimiter& rateLimiter;
        SharedCounts* counts; ///< where limits of addresses count; null: here
        IdempotencyStore& idempotency;
        const Router& router;
        HeapTrimmer& heap;
        ServerMetrics& metrics;
        RequestObservers& observers;
        AccessLog* accessLog; ///< null: off
        Logger& log;
    };

    explicit Pipeline(Dependencies dependencies);

    /// A request that came through the gate. One that has to wait for its body is admitted by its head alone, comes a
    /// second time, and is worked on then.
    void handle(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response);
    /// A request that the gate answered.
    void noteRefusal(const Refusal& refusal, std::string_view requestId);
    /// So much memory, which was held for a client, is free again.
    void noteFreed(std::uint64_t bytes) noexcept { _deps.heap.note(static_cast<std::size_t>(bytes)); }
    const CorsPolicy& cors() const { return _cors; }
    /// Requests that are worked on, and responses that are sent.
    int running() const { return _running.load(std::memory_order_relaxed); }

private:
    void produce(Exchange& exchange);
    void admit(Exchange& exchange);
    void askRoute(Exchange& exchange);
    static bool awaitsBody(Exchange& exchange);
    void process(Exchange& exchange);
    void authenticate(Exchange& exchange);
    static void admitLocalUser(Exchange& exchange, unsigned user);
    void limitRate(Exchange& exchange);
    void limitAddress(const Exchange& exchange);
    static void checkRoute(const Exchange& exchange);
    void runHandler(Exchange& exchange);
    void runIdempotently(Exchange& exchange, std::string_view key);
    RequestContext::Inputs contextInputs(const Exchange& exchange, const RequestHead& head, QueryParameters query,
                                         const std::vector<Detail>& warnings);
    std::uint64_t bodyLimit(const Exchange& exchange) const;
    HandlerResult callHandler(Exchange& exchange, const IdempotencyClaim* claim, bool& recorded);
    JsonDocument readJson(std::string body);
    void chooseBytes(Exchange& exchange);
    void beginStream(Exchange& exchange) const;
    void fail(Exchange& exchange, const std::exception& failure);
    ApiError errorOf(const Exchange& exchange, const std::exception& failure);
    void showErrorPage(Exchange& exchange, const ApiError& error);
    const RoutedHandler* failedHandler(const Exchange& exchange) const;
    void send(Exchange& exchange);
    static void observe(Exchange& exchange);
    AnsweredExchange answered(Exchange& exchange) const;
    void account(AnsweredExchange exchange, const SendResult& sent);
    void logAccess(const AnsweredExchange& exchange, const SendResult& sent, std::uint64_t bytes,
                   std::chrono::duration<double> took);
    void noteContent(const AnsweredExchange& exchange, const SendResult& sent, std::uint64_t bytes);
    void notifyObservers(AnsweredExchange exchange, std::uint64_t bytes, std::chrono::microseconds took);

    class Completion;

    Dependencies _deps;
    const std::string _hsts; ///< empty: none
    CorsPolicy _cors;
    RouteMetrics& _unmatched;
    AddressLimiter _publicLimiter;
    UnavailableLog _unavailable;
    const ResponseSample _sample;
    Poco::Semaphore _largeReads;
    std::atomic<int> _running{0};
};

} // namespace supplierd::host
