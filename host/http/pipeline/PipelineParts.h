#pragma once

#include "host/auth/Authenticator.h"
#include "host/auth/RateLimiter.h"
#include "host/auth/RequestAuthenticators.h"
#include "host/config/Settings.h"
#include "host/db/PooledDatabase.h"
#include "host/http/Router.h"
#include "host/http/pipeline/HeapTrimmer.h"
#include "host/http/pipeline/IdempotencyStore.h"
#include "host/observe/AccessLog.h"
#include "host/observe/RequestObservers.h"
#include "host/observe/ServerMetrics.h"

#include <supplierd/Log.h>

#include <string_view>

namespace supplierd::host {

/// What a request meets on its way. All of it outlives the pipeline.
struct PipelineParts {
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

/// The route's name, in metrics and logs, of requests that no route was found for.
constexpr std::string_view UNMATCHED = "(none)";

} // namespace supplierd::host
