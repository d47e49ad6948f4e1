#pragma once

#include "host/auth/AddressLimiter.h"
#include "host/observe/ServerMetrics.h"
#include "host/openapi/RequestSchema.h"
#include "host/plugins/RoutePattern.h"

#include <supplierd/Plugin.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

/// The audience of a path: by its first segments; Public for everything outside the two APIs.
Audience audienceOf(const std::vector<std::string>& segments);

struct PathParameter {
    std::string_view name; ///< points into the router
    std::string text;
    std::int64_t integer = 0;
};

/// A route as the router keeps it.
struct RoutedHandler {
    Route route;
    std::string plugin;  ///< empty: the host's own
    std::string pattern; ///< with the base path, for logs and metrics
    std::string work;    ///< "GET /path", for CurrentWork
    RouteMetrics* metrics = nullptr;
    std::optional<RequestSchema> schema;     ///< nothing: the plugin does not tell what its requests may have
    std::shared_ptr<AddressLimiter> limiter; ///< of a route with a limit of its own

    RoutePattern compiled;
};

struct RouteMatch {
    const RoutedHandler* handler = nullptr; ///< null: no route for this path and method
    std::vector<PathParameter> parameters;
    std::string allow; ///< with no handler: the methods that the path has, for `Allow`; empty: unknown path
};

/// Finds the handler of a request. Built at start, read by every thread afterwards.
class Router {
public:
    /// `counts`: where the limits of routes count; null: here.
    explicit Router(ServerMetrics& metrics, SharedCounts* counts = nullptr) : _metrics(metrics), _counts(counts) {}

    /// The pattern was checked when the plugin was loaded.
    void add(const Route& route, std::optional<RequestSchema> schema = std::nullopt, std::string plugin = {});
    /// `method` is the token of the request line; HEAD is answered by GET. Where several patterns match, a literal goes
    /// before a parameter.
    RouteMatch find(std::string_view method, const std::vector<std::string>& segments) const;
    /// Some route has one.
    bool hasErrorPages() const { return _hasErrorPages; }

private:
    ServerMetrics& _metrics;
    SharedCounts* _counts;
    std::vector<RoutedHandler> _handlers;
    bool _hasErrorPages = false;
};

} // namespace supplierd::host
